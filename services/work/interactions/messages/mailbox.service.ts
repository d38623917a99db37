import { internal } from "../../../../core/declare/makers/internal.ts";
import { prepared } from "../../../../core/request/context.ts";
import { service } from "../../../../mixins/resource.ts";
import { awaitedBodies, keepFiles, noteTried, readWhole, storeBody, type WholeMessage } from "./mailbox-bodies.ts";
import { knownOf } from "./mailbox-facts.ts";
import {
  MailboxAwaiting,
  MailboxAwaitingResult,
  MailboxBody,
  MailboxBodyTried,
  MailboxImport,
  MailboxImported,
  MailboxJudge,
  MailboxKnown,
  MailboxKnownResult,
  MailboxNotify,
  MailboxOffer,
  MailboxOffered,
  MailboxVerdicts,
} from "./mailbox-schemas.ts";
import { importMessage, judgeMessages, notifyOfPending, offerMessage } from "./mailbox-writes.ts";

/** Only for the job that reads mailboxes. */
const feed = { open: "the owner of the mailbox has allowed reading it", needs: "everything" } as const;

/** Messages of a mailbox, for the service that reads mailboxes; no endpoint exposes these actions. */
export default service("interactions.mailbox", {
  actions: {
    known: internal({
      ...feed,
      summary: "Messages and threads of a mailbox whose headers need not be read",
      body: MailboxKnown,
      returns: MailboxKnownResult,
      handler: ({ params: { body } }) => knownOf(body.owner_account_id, body.ids, body.thread_ids),
    }),

    judge: internal({
      summary: "Read the states of messages of a mailbox, and which of them are contact moments",
      permission: "interactions.interaction.write",
      body: MailboxJudge,
      returns: MailboxVerdicts,
      handler: (ctx) => judgeMessages(ctx.params.body),
    }),

    offer: internal({
      ...feed,
      summary: "Make a message of a mailbox a contact moment unless a gate stops it",
      writes: true,
      body: MailboxOffer,
      returns: MailboxOffered,
      handler: (ctx) => offerMessage(ctx.params.body),
    }),

    notify: internal({
      ...feed,
      summary: "Notify the owner of a mailbox of its new waiting messages",
      writes: true,
      body: MailboxNotify,
      returns: null,
      handler: (ctx) => notifyOfPending(ctx.params.body.owner_account_id),
    }),

    import: internal({
      summary: "Log a message that the owner of the mailbox chose",
      permission: "interactions.interaction.write",
      writes: true,
      body: MailboxImport,
      returns: MailboxImported,
      errors: ["conflict errors.interactions_mail_already_logged", "conflict errors.interactions_eml_duplicate", "not_found"],
      prepare: async (ctx) => (ctx.params.body.file ? await readWhole(ctx.params.body.file) : null),
      async handler(ctx) {
        const whole = prepared<WholeMessage | null>();
        const imported = await importMessage(ctx.params.body, whole?.body ?? null);
        await keepFiles(imported.interaction_id, whole);
        return imported;
      },
    }),

    awaiting: internal({
      ...feed,
      summary: "Logged messages whose body is still to be read",
      body: MailboxAwaiting,
      returns: MailboxAwaitingResult,
      handler: (ctx) => awaitedBodies(ctx.params.body.owners, ctx.params.body.most),
    }),

    tried: internal({
      ...feed,
      summary: "Note that a body could not be read yet",
      writes: true,
      body: MailboxBodyTried,
      returns: null,
      handler: async (ctx) => noteTried(ctx.params.body.interaction_id),
    }),

    body: internal({
      ...feed,
      summary: "Store the body and the files of a logged message",
      writes: true,
      body: MailboxBody,
      returns: null,
      prepare: async (ctx) => (ctx.params.body.file ? await readWhole(ctx.params.body.file) : null),
      handler: (ctx) => storeBody(ctx.params.body.interaction_id, prepared<WholeMessage | null>()),
    }),
  },
});
