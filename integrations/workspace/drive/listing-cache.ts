import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { request } from "../../../core/request/context.ts";
import type { WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { keepTold } from "../../../mixins/tenancy.ts";
import type { DriveBrowseResult } from "./drive-schemas.ts";

export type Listed = Static<typeof DriveBrowseResult>;

/** Seconds for which a person gets the same answer to the same question, on every node (workspace §2.4). */
export const LISTING_SECONDS = 45;

const FRESH = `read_at > statement_timestamp() - interval '${LISTING_SECONDS} seconds'`;
const READ = statement(`select content from drive_listings
  where organisation_id = $1 and account_id = $2 and folder_id = $3 and term = $4 and ${FRESH}`);
/** Stores nothing for a connection that was ended while the provider answered. */
const KEEP = statement(`insert into drive_listings as l (organisation_id, account_id, folder_id, term, content)
  select $1, $2, $3, $4, $5 from workspace_connections where organisation_id = $1 and account_id = $2 and id = $6 for key share
  on conflict (organisation_id, account_id, folder_id, term) do update set content = excluded.content, read_at = excluded.read_at`);
const CLEAR = statement("delete from drive_listings where organisation_id = $1 and account_id = $2");
const CLEAR_OLD = statement(`delete from drive_listings where organisation_id = $1 and not ${FRESH}`);

/** What a person asks of a folder. */
export interface Asked {
  connection: Pick<WorkspaceConnectionRow, "id" | "account_id">;
  folderId: string;
  /** Null for everything it holds. */
  term: string | null;
}

const placeOf = ({ connection, folderId, term }: Asked) => [
  request().organisation.id,
  connection.account_id,
  folderId,
  term ?? "",
];

/** What the provider listed less than 45 seconds ago for the same person, folder and term; undefined without that. */
export const cachedListing = async (asked: Asked): Promise<Listed | undefined> =>
  (await queryOne<{ content: Listed }>(READ, placeOf(asked)))?.content;

/** Stores a listing, in a transaction of its own. */
export const cacheListing = (asked: Asked, listed: Listed): Promise<void> =>
  keepTold(async () => enqueue(KEEP, [...placeOf(asked), JSON.stringify(listed), asked.connection.id]));

/** Forgets every listing of a person, in the running transaction. */
export const forgetListings = (accountId: string): void => enqueue(CLEAR, [request().organisation.id, accountId]);

/** Removes the organisation's listings that nobody is answered with any longer, in the running transaction. */
export const removeOldListings = (): void => enqueue(CLEAR_OLD, [request().organisation.id]);
