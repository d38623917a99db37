import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { differences, lock, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { loadSender } from "../../../core/mail/mail-sender.ts";
import type { ChannelAddress } from "../../../core/providers/channels/channel.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Channel, type ChannelRow } from "../models.ts";
import { testMessage } from "../wording/messages.ts";
import { nameOf, ownerOf, reachOf, readAddress } from "./channel-rules.ts";
import { ChannelCreate, ChannelRead, ChannelTestResult, ChannelUpdate } from "./channel-schemas.ts";
import { type SendOutcome, sendToChannel } from "./send-channel.ts";

const OWN = "notifications.channels.manage_own";

const shown = projection({ model: Channel, schema: ChannelRead, columns: { user_id: "t.account_id" } });
const channels = rowsOf({
  model: Channel,
  projection: shown,
  whole: { order: "t.name collate kantoor_text, t.id", by: { account_id: "uuid" } },
});

/** Rows of the account `$n`, or all rows if it is null. */
const reached = (slot: string) => `(${slot}::uuid is null or t.account_id = ${slot}::uuid)`;
const STORED = statement(
  `select ${columns(Channel, "t")} from notification_channels t where t.organisation_id = $1 and t.id = $2 and ${reached("$3")}`,
);

/** A channel the caller may access, read before the transaction begins. @throws 404 */
async function storedChannel(id: string): Promise<ChannelRow> {
  const row = await queryOutside<ChannelRow>(STORED, [request().organisation.id, id, reachOf()]);
  if (!row) throw notFound();
  return row;
}

/** The same, locked for a write. @throws 404, 412 */
async function forWrite(id: string): Promise<ChannelRow> {
  const row = await lock(Channel, id, reached("$3"), [reachOf()]);
  if (!row) throw notFound();
  requireMatch(row.version);
  return row;
}

/** A time of day without seconds. */
const minute = (time: string | null | undefined) => (time == null ? time : time.slice(0, 5));

/** External channels: personal ones and shared rooms (platform chapter §5.6). */
export default resource("notifications.channels", {
  model: Channel,
  actions: {
    list: action({
      rest: "GET /notifications/channels",
      summary: "List your channels",
      description: "With `notifications.channels.manage` also the channels of others and the shared rooms.",
      permission: OWN,
      query: sinceQuery,
      returns: list(ChannelRead),
      handler: ({ params: { updated_since } }) => channels.all({ account_id: reachOf(), updated_since }),
    }),

    create: action({
      rest: "POST /notifications/channels",
      summary: "Add a channel; it is silent until events are routed to it",
      description:
        "Without `user_id`, a caller with `notifications.channels.manage` adds a shared room. `url` is the address from the provider: " +
        "the webhook address of Slack, Teams, Google Chat or Discord, `bot-token/chat` of Telegram, a mailbox for `email`, any http(s) " +
        "address for `webhook`. No answer contains it.",
      permission: OWN,
      body: ChannelCreate,
      example: { kind: "email", name: "My work mail", url: "anna@example.com" },
      returns: ChannelRead,
      prepare: ({ params: { body } }) => readAddress(body.kind, body.url),
      async handler(ctx) {
        const { kind, name, enabled = true, user_id, digest_time, digest_weekday } = ctx.params.body;
        const { stored, redacted } = prepared<ChannelAddress>();
        const id = queueInsert(Channel, {
          kind,
          name: nameOf(name),
          url: stored,
          redacted,
          enabled,
          account_id: await ownerOf(user_id),
          digest_time: minute(digest_time) ?? null,
          digest_weekday: digest_weekday ?? null,
        });
        trail("notification_channel", id, "created");
        return channels.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /notifications/channels/:channel_id",
      summary: "Change a channel; its kind stays",
      description: "A null `name` and a blank `url` keep the stored value; null clears a digest time.",
      permission: OWN,
      body: ChannelUpdate,
      returns: ChannelRead,
      async prepare(ctx): Promise<ChannelAddress | null> {
        const { channel_id, body } = ctx.params;
        return body.url?.trim() ? readAddress((await storedChannel(channel_id)).kind, body.url) : null;
      },
      async handler(ctx) {
        const { channel_id: id, body } = ctx.params;
        const before = await forWrite(id);
        const sent = prepared<ChannelAddress | null>();
        const address = sent && unsealed(Channel, before, "url") !== sent.stored ? sent : null;
        const changed = differences(before, {
          name: body.name == null ? undefined : nameOf(body.name),
          enabled: body.enabled ?? undefined,
          digest_time: minute(body.digest_time),
          digest_weekday: body.digest_weekday,
        });
        if (changed || address) {
          queueUpdate(Channel, id, { ...changed, ...(address && { url: address.stored, redacted: address.redacted }) });
          trail("notification_channel", id, "updated");
        }
        return channels.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /notifications/channels/:channel_id",
      summary: "Remove a channel with its routing",
      permission: OWN,
      async handler(ctx) {
        const { id, name } = await forWrite(ctx.params.channel_id);
        queueRemove(Channel, id);
        trail("notification_channel", id, "deleted", { name });
      },
    }),

    test: action({
      rest: "POST /notifications/channels/:channel_id/test",
      summary: "Send a test message now",
      description: "A refusal by the provider is status 200, with `ok` false and the provider's own words.",
      permission: OWN,
      status: 200,
      returns: ChannelTestResult,
      acts: "outside",
      async prepare(ctx): Promise<SendOutcome> {
        const channel = await storedChannel(ctx.params.channel_id);
        const { address, branding } = await loadSender(queryOutside);
        const message = testMessage(ctx.meta.organisation.locale, { base: address, brand: branding.name });
        return sendToChannel(channel, message, { base: address, call: (name, values) => ctx.call(name, values) });
      },
      handler() {
        const sent = prepared<SendOutcome>();
        return { ok: sent.ok, error: sent.ok ? null : sent.error };
      },
    }),
  },
});
