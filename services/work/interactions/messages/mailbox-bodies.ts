import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { queueUpdate } from "../../../../core/database/write.ts";
import { keepFile } from "../../../../core/files/files.ts";
import { openStored } from "../../../../core/files/storage.ts";
import { request, type StagedUpload } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { Interaction } from "../models.ts";
import type { Message } from "./eml.ts";
import { type KeptAttachment, readApart, stageAttachments } from "./eml-reading.ts";
import type { MailboxAwaitingResult, MailboxBody } from "./mailbox-schemas.ts";
import type { ReadBody } from "./mailbox-writes.ts";

const AWAITING = statement(`select id as interaction_id, owner_account_id, mail_message_id from interactions
  where organisation_id = $1 and body_awaited and status = 'logged' and owner_account_id = any($2::uuid[]) and mail_message_id is not null
  order by body_tried_at nulls first, id limit $3`);
const TRIED = statement("update interactions set body_tried_at = statement_timestamp() where organisation_id = $1 and id = $2");
const STILL_AWAITED = statement(
  "select 1 from interactions where organisation_id = $1 and id = $2 and body_awaited and status = 'logged' for update",
);

/** The file of a whole message, as the mail service hands it over. */
export type HandedFile = NonNullable<Static<typeof MailboxBody>["file"]>;

/** Logged messages whose body has yet to be read from these people's mailboxes, untried ones first. */
export const awaitedBodies = (owners: readonly string[], most: number): Promise<MailboxAwaitingResult> =>
  query<MailboxAwaitingResult[number]>(AWAITING, [request().organisation.id, owners, most]);

/** Records an attempt to read a body, so that other bodies come first. */
export const noteTried = (interactionId: string): void => enqueue(TRIED, [request().organisation.id, interactionId]);

/** A message with its files in the store. */
export interface WholeMessage {
  body: ReadBody;
  files: KeptAttachment[];
}

/**
 * Reads a whole message that another actor put into the store, on a worker thread like an uploaded one. Its bytes are removed when the
 * request ends.
 */
export async function readWhole(file: HandedFile): Promise<WholeMessage> {
  const staged = file as StagedUpload;
  const { bytes } = await openStored(staged);
  const content = Buffer.concat(await bytes.toArray());
  request().stagedUploads.push(staged);
  const message = await readApart(content);
  if (message === null) return { body: { body_text: null, body_markdown: null }, files: [] };
  return { body: bodyOf(message), files: await stageAttachments(message) };
}

const bodyOf = ({ text, markdown }: Message): ReadBody => ({ body_text: text || null, body_markdown: markdown });

/** Stores the body and files of a logged message that awaits them; null if the mailbox no longer has it. */
export async function storeBody(interactionId: string, whole: WholeMessage | null): Promise<void> {
  if (!(await queryOne(STILL_AWAITED, [request().organisation.id, interactionId]))) return;
  queueUpdate(Interaction, interactionId, { ...whole?.body, body_awaited: false });
  await keepFiles(interactionId, whole);
}

/** Attaches a message's files to its moment. */
export async function keepFiles(interactionId: string, whole: WholeMessage | null): Promise<void> {
  for (const file of whole?.files ?? []) await keepFile(file, { entityType: "interaction", entityId: interactionId });
}
