/** Types of the tables of credentials, of people and of the page, as in schema.ts. */
import type { ColumnType, Generated } from 'kysely';

interface ApiKeysTable {
  id: Generated<number>;
  account_id: number;
  key_id: string;
  secret_hash: Buffer;
  label: string | null;
  scopes: ColumnType<string[], readonly string[] | undefined, readonly string[]>;
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  successor_id: number | null;
  person_id: number | null;
  is_bound: Generated<boolean>;
  created_by: string | null;
}

interface BrowserSessionsTable {
  id: Generated<number>;
  token_hash: Buffer;
  /** null: began before sessions were bound to their page, and counts no more. */
  page_hash: Buffer | null;
  account_id: number;
  /** null: a sign-in link began it. */
  key_id: number | null;
  scopes: readonly string[];
  created_at: Generated<Date>;
  last_used_at: Generated<Date>;
  expires_at: Date;
  person_id: number | null;
  is_bound: Generated<boolean>;
  browser: string | null;
  lent_by: number | null;
  lent_key: number | null;
}

interface SignInLinksTable {
  token_hash: Buffer;
  account_id: number;
  scopes: readonly string[];
  created_at: Generated<Date>;
  expires_at: Date;
  used_at: Date | null;
  person_id: number | null;
  is_bound: Generated<boolean>;
  lent_by: number | null;
  lent_key: number | null;
}

interface PeopleTable {
  id: Generated<number>;
  name: string;
  email: string | null;
  issuer: string | null;
  subject: string | null;
  created_at: Generated<Date>;
}

interface MembershipsTable {
  account_id: number;
  person_id: number;
  role: string;
  is_by_group: Generated<boolean>;
  created_at: Generated<Date>;
  group_role: string | null;
  is_edited: Generated<boolean>;
  counts_until: Date | null;
}

interface InvitationsTable {
  id: Generated<number>;
  account_id: number;
  token_hash: Buffer;
  opens: string;
  role: string;
  inviter_role: string | null;
  label: string | null;
  created_by: number | null;
  created_by_name: string;
  maximum_uses: number | null;
  uses: Generated<number>;
  created_at: Generated<Date>;
  expires_at: Date;
  revoked_at: Date | null;
  created_by_key: number | null;
  lent_by: number | null;
  lent_key: number | null;
}

interface OpenidSignInsTable {
  token_hash: Buffer;
  state: string;
  nonce: string;
  code_verifier: string;
  invitation_hash: Buffer | null;
  return_to: string;
  expires_at: Date;
}

interface PageDraftsTable {
  account_id: number;
  subject: string;
  writer: string;
  objective_id: number | null;
  inverse_id: number | null;
  text: string;
  updated_at: Generated<Date>;
}

interface SharedLinksTable {
  id: Generated<number>;
  account_id: number;
  objective_id: number;
  token_hash: Buffer;
  kind: string;
  label: string | null;
  created_by: string;
  /** null, as the next two, unless it keeps a report. */
  file_name: string | null;
  html: Buffer | null;
  pdf: Buffer | null;
  created_at: Generated<Date>;
  expires_at: Date;
  last_used_at: Date | null;
}

export interface AccessTables {
  shared_links: SharedLinksTable;
  page_drafts: PageDraftsTable;
  api_keys: ApiKeysTable;
  browser_sessions: BrowserSessionsTable;
  sign_in_links: SignInLinksTable;
  people: PeopleTable;
  memberships: MembershipsTable;
  invitations: InvitationsTable;
  openid_sign_ins: OpenidSignInsTable;
}
