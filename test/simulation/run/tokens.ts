import type { OrganizationModel } from './model/organization-model.ts';

/** A token that some client holds. */
export interface ClientToken {
  organization: OrganizationModel;
  token: string;
  /** Its number among the organization's tokens. */
  id: number;
  scopes: readonly string[];
}
