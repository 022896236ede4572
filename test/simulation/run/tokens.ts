import type { OrganizationModel } from './model/organization-model.ts';

/** A token that a client has. */
export interface ClientToken {
  organization: OrganizationModel;
  token: string;
  /** Number of the token in its organization. */
  id: number;
  scopes: readonly string[];
}
