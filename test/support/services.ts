import { listOrganizationServicesEndpoint } from '../../shared/contract/organization.ts';
import { createServiceEndpoint, type Service } from '../../shared/contract/services.ts';
import type { TestOrganization } from './world.ts';

let names = 0;
/** Makes a name that no other service has. */
export const newName = () => `Service ${++names}`;

/** Creates a service over HTTP, in the first category unless the body names another. */
export async function newService({ api }: TestOrganization, body: object = {}): Promise<Service> {
  const answer = await api.call(createServiceEndpoint, {
    body: { name: newName(), tradeCategoryId: 1, ...body },
  });
  return answer.service;
}

/** Number of services in the organization. */
export const countServices = async ({ api }: TestOrganization) =>
  (await api.call(listOrganizationServicesEndpoint)).totalServices;
