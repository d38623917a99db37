import { LIST_DEFAULTS } from "../../../core/database/lists/list.ts";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { lock } from "../../../core/database/write.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { callerId, NO_PERSON, scopeOf } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { nextCursor } from "../../../core/request/walk.ts";
import { JsonText, pageText, WrittenRow } from "../../../core/sql/json-text.ts";
import { type Bound, statement, type TextRow } from "../../../core/sql/statement.ts";
import { forStaffAndClients } from "../visibility.ts";
import {
  INTERACTION_PAGE,
  type InteractionAsked,
  type InteractionFilters,
  inSelection,
  interactionPage,
  interactionProjection,
  isShown,
} from "./interaction.list.ts";
import { Interaction } from "./models.ts";

export type StoredInteraction = RowOf<typeof Interaction>;

const visible = forStaffAndClients(
  (clients) => `${isShown("$4::uuid")} and ($3::uuid[] is null or ${inSelection(clients, "$3::uuid[]")})`,
);
const ONE = forStaffAndClients((clients) =>
  interactionProjection(clients).one(`${isShown("$4::uuid")} and ($3::uuid[] is null or ${inSelection(clients, "$3::uuid[]")})`),
);
const ANY = forStaffAndClients((clients) => interactionProjection(clients).one());
/** A row of the organisation as the caller's response, with its full body, even outside the caller's selection. */
export const anyInteraction = (id: string): Bound => [
  ANY(),
  [request().organisation.id, id, request().principal?.selection ?? null],
];

const viewer = () => [request().principal?.selection ?? null, callerId() ?? NO_PERSON];

/** A contact moment as the response shows it. @throws 404 if it does not exist or is outside the caller's view */
export async function oneInteraction(id: string): Promise<JsonText> {
  const found = await queryOne<{ version: number; body: string }>(ONE(), [request().organisation.id, id, ...viewer()]);
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

/** The row just written, even outside the caller's selection. */
export const writtenInteraction = (id: string): WrittenRow => new WrittenRow(anyInteraction(id));

/** A page of conversations. @throws 400 `invalid_sort` */
export async function pageOfInteractions(asked: InteractionAsked, filters: InteractionFilters): Promise<JsonText> {
  const { organisation, principal, walk } = request();
  const [selection, caller] = viewer() as [string[] | null, string];
  const clients = principal?.isClientLogin === true;
  const page = interactionPage(organisation.id, caller, selection, clients, { ...asked, after: walk?.after }, filters);
  const { items, total, last } = page.read(await query<TextRow>(...page.bound));
  const { limit = INTERACTION_PAGE, offset = LIST_DEFAULTS.offset } = asked;
  return pageText({ items, total, limit, offset, next: nextCursor(walk, last) });
}

/** Locks a row in the caller's view until the request ends. @throws 404 */
export async function lockSeen(id: string): Promise<StoredInteraction> {
  const row = await lock(Interaction, id, visible(), viewer());
  if (!row) throw notFound();
  return row;
}

const BATCH = forStaffAndClients((clients) =>
  statement(`select ${columns(Interaction, "t")} from interactions t where t.organisation_id = $1 and t.id = any($2::uuid[])
    and ${isShown("$4::uuid")} and ($3::uuid[] is null or ${inSelection(clients, "$3::uuid[]")}) order by t.id for update`),
);

/** Locks the rows in the caller's view, in id order so that two batches cannot deadlock. */
export const lockThoseSeen = (ids: readonly string[]): Promise<StoredInteraction[]> =>
  query<StoredInteraction>(BATCH(), [request().organisation.id, ids, ...viewer()]);

/** Locks a row that the caller can change and checks `If-Match`. @throws 404; 403 for another's row without `:any`; 412 */
export async function lockForWrite(id: string): Promise<StoredInteraction> {
  const row = await lockSeen(id);
  if (!mayWrite(row)) throw forbidden();
  requireMatch(row.version);
  return row;
}

const own = ({ owner_account_id: owner }: StoredInteraction) => owner !== null && owner === callerId();
const reaches = (permission: string, row: StoredInteraction) => {
  const scope = scopeOf(permission);
  return scope === "any" || (scope === "own" && own(row));
};
const mayWrite = (row: StoredInteraction) => reaches("interactions.interaction.write", row);
/** Whether the caller may delete a row: its own with `:own`, another's with `:any`. */
export const mayDelete = (row: StoredInteraction): boolean => reaches("interactions.interaction.delete", row);
/** Whether the caller owns the mailbox a row came from. */
export const ownsMailbox = own;
