import { listOrganizationServicesEndpoint } from '../../shared/contract/organization.ts';
import { createServiceEndpoint, type Service } from '../../shared/contract/services.ts';
import type { TestOrganization } from './world.ts';

let names = 0;
/** A name that no other service has. */
export const newName = () => `Service ${++names}`;

/** Creates a service over HTTP, in the first category unless the body says otherwise. */
export async function newService({ api }: TestOrganization, body: object = {}): Promise<Service> {
  const answer = await api.call(createServiceEndpoint, {
    body: { name: newName(), tradeCategoryId: 1, ...body },
  });
  return answer.service;
}

/** How many services there are. */
export const countServices = async ({ api }: TestOrganization) =>
  (await api.call(listOrganizationServicesEndpoint)).totalServices;
