import type { Context } from "moleculer";
import { runtime } from "../../../core/config/runtime.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { date, optional, type Static, text } from "../../../core/schema/schema.ts";
import { googleAccess } from "../../../mixins/google/client.ts";
import { connectionOf } from "../../../mixins/google/connection.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { service } from "../../../mixins/resource.ts";
import { candidatesOf, judging, type LabelledMessages, withLabel } from "./candidates.ts";
import { fetchMessage } from "./gmail.ts";
import { isMissing, type LookedUp, lookUp, searchFor } from "./looking.ts";
import {
  coversMail,
  emptySearch,
  type MailAccess,
  mailRefusal,
  messageNotFound,
  ownMailbox,
  takeCall,
  unreadable,
  unusableMessage,
} from "./mail-access.ts";
import { mailJobs } from "./mail-jobs.ts";
import {
  MailImportRequest,
  MailImportResult,
  MailLookupResult,
  MailRefreshResult,
  MailSearchResult,
  MailSyncStatus,
  reference,
  threadId,
} from "./mail-schemas.ts";
import { mailboxOf, type PollResult } from "./mailbox-rows.ts";
import { type MailReference, readReference } from "./reference.ts";
import { cooldownOf, refresh } from "./refreshing.ts";
import { searchQuery } from "./search-query.ts";
import { stageWhole } from "./whole-message.ts";

const OWN = "workspace.connection.manage";
const WRITE = "interactions.interaction.write";
const OWN_MAILBOX =
  "the caller's own mailbox, which no selection hides; test/api/workspace/mail-by-hand.test.ts shows what of contact moments it names";
const REFUSALS = ["mail_disabled", "workspace_not_connected", "mail_sync_off", "workspace_connection_error"] as const;
const LOOKING = [...REFUSALS, "workspace_not_configured", "mail_unavailable", "rate_limited"] as const;

/** The state of the caller's mailbox, and why it cannot be read. */
async function statusOf(): Promise<Static<typeof MailSyncStatus>> {
  const [settings, connection] = [await storedSettings(), await connectionOf()];
  const box = connection && (await mailboxOf(connection.id));
  const scope_granted = connection !== undefined && coversMail(connection);
  const mail_enabled = settings?.mail_enabled ?? false;
  const sync_enabled = connection?.mail_sync_enabled ?? false;
  const connection_error = connection?.status === "error";
  return {
    connected: connection !== undefined,
    mail_enabled,
    sync_enabled,
    scope_granted,
    connection_error,
    last_polled_at: box?.polled_at ?? null,
    gap_since: box?.gap_since ?? null,
    available: mail_enabled && sync_enabled && scope_granted && !connection_error,
    retry_after_seconds: cooldownOf(box, Date.now()),
  };
}

/** The result of a lookup in `prepare`, with the mailbox it came from. */
interface Prepared {
  access: MailAccess;
  looked: LookedUp;
  found: LabelledMessages;
}

/** Looks something up in the caller's mailbox. @throws 409, 404, 429, 502 (workspace §2.6) */
async function lookedUp(
  limit: "lookup" | "search",
  look: (google: ReturnType<typeof googleAccess>) => Promise<LookedUp | undefined>,
): Promise<Prepared> {
  const access = await ownMailbox();
  await takeCall(limit);
  const google = googleAccess(access.connection);
  try {
    const looked = await look(google);
    if (!looked) throw messageNotFound();
    return { access, looked, found: await withLabel(google, access, looked.messages) };
  } catch (error) {
    throw mailRefusal(error);
  }
}

/** The response of a lookup. */
async function shown(ctx: Pick<Context, "call">): Promise<Static<typeof MailLookupResult>> {
  const { access, looked, found } = prepared<Prepared>();
  const messages = await candidatesOf(access, found, (name, params) => ctx.call(name, params));
  const { thread_id, truncated, widened_to_thread } = looked;
  return { thread_id, messages, truncated, widened_to_thread };
}

/** @throws 422 */
function referenceOf(sent: string): MailReference {
  const read = readReference(sent);
  if (typeof read === "string") throw unreadable(read);
  return read;
}

/** Parses a thread id; Google's are hexadecimal, so any other text cannot exist. @throws 404 */
function threadOf(sent: string): MailReference {
  const read = readReference(sent);
  if (typeof read === "string" || read.kind === "header") throw messageNotFound();
  return { kind: "thread", id: read.id };
}

/** The caller's own mailbox on request (workspace §2.6). */
export default service("workspace.mail", {
  jobs: mailJobs,
  actions: {
    status: action({
      rest: "GET /workspace/mail/status",
      summary: "Read how your mailbox is read",
      permission: OWN,
      returns: MailSyncStatus,
      handler: statusOf,
    }),

    refresh: action({
      rest: "POST /workspace/mail/refresh",
      summary: "Have your mailbox read now",
      description:
        "At most once a minute; sooner the answer is `cooldown`. Of concurrent calls one reads, the others answer `cooldown`.",
      permission: OWN,
      status: 200,
      returns: MailRefreshResult,
      errors: [...REFUSALS, "unavailable"],
      prepare: async () => refresh((await ownMailbox(true)).connection.id),
      async handler() {
        const result = prepared<PollResult | "cooldown">();
        const sync = await statusOf();
        if (result !== "cooldown") return { ...result, sync };
        return {
          status: "cooldown" as const,
          logged: 0,
          sync: { ...sync, retry_after_seconds: Math.max(1, sync.retry_after_seconds) },
        };
      },
    }),

    lookup: action({
      rest: "GET /workspace/mail/lookup",
      verb: "lookup",
      summary: "Find a message of your mailbox, with its thread",
      exceptions: { selection: OWN_MAILBOX },
      description: "Twenty lookups and threads a minute per person.",
      permission: OWN,
      also: [WRITE],
      query: { reference: reference() },
      returns: MailLookupResult,
      errors: [
        ...LOOKING,
        "not_found errors.mail_message_not_found",
        "validation errors.mail_message_unusable",
        "validation errors.mail_reference_unreadable",
        "validation errors.mail_reference_web_id",
      ],
      async prepare(ctx) {
        const wanted = referenceOf(ctx.params.reference);
        return lookedUp("lookup", (google) => lookUp(google, wanted));
      },
      handler: (ctx) => shown(ctx),
    }),

    thread: action({
      rest: "GET /workspace/mail/threads/:thread_id",
      summary: "Read the messages of a thread of your mailbox",
      exceptions: { selection: OWN_MAILBOX },
      description: "Marks each message with its state on the timeline. Twenty lookups and threads a minute per person.",
      permission: OWN,
      also: [WRITE],
      path: { thread_id: threadId() },
      returns: MailLookupResult,
      errors: [...LOOKING, "not_found errors.mail_message_not_found", "validation errors.mail_message_unusable"],
      prepare: (ctx) => lookedUp("lookup", async (google) => lookUp(google, threadOf(ctx.params.thread_id))),
      handler: (ctx) => shown(ctx),
    }),

    search: action({
      rest: "GET /workspace/mail/search",
      verb: "search",
      summary: "Search your mailbox",
      exceptions: { selection: OWN_MAILBOX },
      description: "At most 20 messages. Twenty searches a minute per person.",
      permission: OWN,
      also: [WRITE],
      query: {
        participant: optional(text(320, { description: "A name or an address, in From, To or Cc" })),
        subject: optional(text(200, { description: "Words of the subject" })),
        after: optional({ ...date(), description: "The first day" }),
        before: optional({ ...date(), description: "The last day, inclusive" }),
      },
      returns: MailSearchResult,
      errors: [...LOOKING, "validation errors.mail_search_empty"],
      tool: {
        name: "search_mail",
        description: "Searches the caller's own mailbox.",
        inArea: true,
        takes: ["participant", "subject", "after", "before"],
      },
      async prepare(ctx) {
        const query = searchQuery(ctx.params);
        if (query === null) throw emptySearch();
        return lookedUp("search", (google) => searchFor(google, query));
      },
      handler: async (ctx) => ({ ...(await shown(ctx)), query: searchQuery(ctx.params) ?? "" }),
    }),

    import: action({
      rest: "POST /workspace/mail/import",
      summary: "Log a message of your mailbox that the feed skipped",
      description:
        "Logs it at once, whatever reasons the feed has to skip it. A message already logged from your mailbox is never logged again. Ten a minute per person.",
      permission: WRITE,
      also: [OWN],
      body: MailImportRequest,
      returns: MailImportResult,
      errors: [
        ...LOOKING,
        "conflict errors.interactions_mail_already_logged",
        "conflict errors.interactions_eml_duplicate",
        "not_found",
        "not_found errors.mail_message_not_found",
        "validation errors.mail_message_unusable",
      ],
      async prepare(ctx) {
        const { message_id: id, ...filing } = ctx.params.body;
        const access = await ownMailbox();
        await takeCall("import");
        const google = googleAccess(access.connection);
        const message = await fetchMessage(google, id).catch((error: unknown) => {
          if (isMissing(error)) throw messageNotFound();
          throw mailRefusal(error);
        });
        if (message.participants.length === 0) throw unusableMessage();
        const file = await wholeOf(google, id);
        const body = { ...(await judging(access)), ...filing, message: { ...message, excluded: false }, file };
        const imported = (await ctx.call("interactions.mailbox.import", { body })) as {
          interaction_id: string;
          subject: string | null;
        };
        return { ...imported, body_fetched: file !== null };
      },
      handler: async () => prepared<Static<typeof MailImportResult>>(),
    }),
  },
});

/** Stages the whole message; null if it could not be read now, so that the sweep reads it. */
async function wholeOf(google: ReturnType<typeof googleAccess>, id: string) {
  try {
    const staged = await stageWhole(google, id, {
      organisationId: request().organisation.id,
      most: runtime().config.uploadLimit,
    });
    request().stagedUploads.push(staged);
    return staged;
  } catch (error) {
    if (error instanceof GoogleFailure) return null;
    throw error;
  }
}
