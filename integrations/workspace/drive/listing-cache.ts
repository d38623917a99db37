import { clearSome } from "../../../core/clearing/clear.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import type { DriveBrowseResult } from "./drive-schemas.ts";

export type Listed = Static<typeof DriveBrowseResult>;

/** Seconds that a person's listing is cached, for all nodes (workspace §2.4). */
export const LISTING_SECONDS = 45;

const FRESH = `read_at > statement_timestamp() - interval '${LISTING_SECONDS} seconds'`;
const READ = statement(`select content from drive_listings
  where organisation_id = $1 and account_id = $2 and folder_id = $3 and term = $4 and ${FRESH}`);
/** Stores nothing if the connection ended while the provider answered. */
const KEEP = statement(`insert into drive_listings as l (organisation_id, account_id, folder_id, term, content)
  select $1, $2, $3, $4, $5 from workspace_connections where organisation_id = $1 and account_id = $2 and id = $6 for key share
  on conflict (organisation_id, account_id, folder_id, term) do update set content = excluded.content, read_at = excluded.read_at`);
const EXPIRED = oldRows({ table: "drive_listings", age: "r.read_at", kept: `${LISTING_SECONDS} seconds` });
const CLEAR = statement("delete from drive_listings where organisation_id = $1 and account_id = $2");

/** A person's request for a folder's content. */
export interface ListingRequest {
  connection: Pick<WorkspaceConnectionRow, "id" | "account_id">;
  folderId: string;
  /** Null for all content. */
  term: string | null;
}

const placeOf = ({ connection, folderId, term }: ListingRequest) => [
  request().organisation.id,
  connection.account_id,
  folderId,
  term ?? "",
];

/** The cached listing for the same person, folder and term, if it is fresh. */
export const cachedListing = async (asked: ListingRequest): Promise<Listed | undefined> =>
  (await queryOne<{ content: Listed }>(READ, placeOf(asked)))?.content;

/** Stores a listing in a separate transaction. */
export const cacheListing = (asked: ListingRequest, listed: Listed): Promise<void> =>
  storeOutsideResult(async () => enqueue(KEEP, [...placeOf(asked), JSON.stringify(listed), asked.connection.id]));

/** Deletes every cached listing of a person, in the running transaction. */
export const forgetListings = (accountId: string): void => enqueue(CLEAR, [request().organisation.id, accountId]);

/** Deletes the organisation's expired listings, in the running transaction. */
export const removeOldListings = (): void => clearSome(EXPIRED);
