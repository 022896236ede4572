import type { TableAccess } from '../../infra/admin/table/table-reads.ts';
import type { Report } from '../../infra/admin/verify/finding.ts';
import {
  OrganizationVerification,
  type VerifyOptions,
} from '../../infra/admin/verify/verify-organization.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';

/** Verifies one organization, as the command does. */
export const verifyOrganization = (
  access: TableAccess,
  organization: OrganizationCode,
  options: VerifyOptions = {},
): Promise<Report> => new OrganizationVerification(access, organization, options).run();
