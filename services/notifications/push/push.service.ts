import { localeOf } from "../../../core/config/defaults.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { enqueue, queryOne, queryOutside } from "../../../core/database/query.ts";
import { lock, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound, refusal } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { loadSender } from "../../../core/mail/mail-sender.ts";
import { callerId, NO_PERSON, requireNoImpersonation } from "../../../core/request/caller.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { list, optional, readInstant, Type } from "../../../core/schema/schema.ts";
import { digest } from "../../../core/security/crypto.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { mayBeSaved } from "../channels/channel-rules.ts";
import { PushDevice } from "../models.ts";
import { INBOX } from "../wording/messages.ts";
import { testSentence } from "../wording/words.ts";
import { requireBrowserKeys } from "./browser-keys.ts";
import { KEYS, openKeys, organisationKeys, type StoredKeys } from "./push-keys.ts";
import { PushConfig, PushSubscriptionCreate, PushSubscriptionRead, PushTestResult, PushUnsubscribe } from "./push-schemas.ts";
import { noteDevices, type PushedToAll, pushToAll, type SendableDevice } from "./send-push.ts";

const READ = "notifications.notification.read";
const WRITE = "notifications.notification.write";

/** `$2` the caller, `$3` the hash of the calling browser's endpoint. */
const shown = projection({
  model: PushDevice,
  schema: PushSubscriptionRead,
  columns: { current: "coalesce(t.endpoint_hash = $3::bytea, false)" },
});
const LIST = statement(
  `select ${jsonArray(
    `${shown.rows("notification_push_devices")} where t.organisation_id = $1 and t.account_id = $2
      and ($4::timestamptz is null or t.updated_at >= $4) order by t.created_at desc, t.id desc`,
  )} as items`,
);
const ONE = statement(`select row_to_json(r)::text as body from (
  ${shown.rows("notification_push_devices")} where t.organisation_id = $1 and t.account_id = $2 and t.endpoint_hash = $3::bytea) r`);
const FIND = statement(`select id from notification_push_devices where organisation_id = $1 and endpoint_hash = $2 for update`);
const DROP = statement(
  "delete from notification_push_devices where organisation_id = $1 and account_id = $2 and endpoint_hash = $3",
);
const MINE = statement(`select coalesce(json_agg(d order by d.created_at, d.id), '[]') as devices from (
  select ${columns(PushDevice, "t")} from notification_push_devices t where t.organisation_id = $1 and t.account_id = $2) d`);

/** The account of the caller. @throws 403 for a caller without one: devices belong to people */
function personOf(): string {
  const account = callerId();
  if (account === null) throw forbidden();
  return account;
}

const NONE: PushedToAll = { taken: [], gone: [], error: "errors.push_no_device", retryAfter: null };

/** Push messages to people's registered browsers (platform chapter §5.7; RFC 8030, 8291, 8292). */
export default resource("notifications.push", {
  model: PushDevice,
  actions: {
    config: action({
      rest: "GET /notifications/push/config",
      summary: "Read the public key that browsers register for",
      description: "The first use creates the key pair of the organisation. It is never replaced.",
      permission: READ,
      writes: true,
      returns: PushConfig,
      async handler() {
        const keys = await organisationKeys();
        return { vapid_public_key: keys.public_key, supported: openKeys(keys) !== null };
      },
    }),

    list: action({
      rest: "GET /notifications/push/subscriptions",
      summary: "List your browsers, newest first",
      permission: READ,
      query: {
        endpoint: optional(Type.String({ description: "Endpoint of the calling browser; its row is `current`" })),
        ...sinceQuery,
      },
      returns: list(PushSubscriptionRead),
      async handler(ctx) {
        const { endpoint, updated_since: since } = ctx.params;
        const hash = endpoint === undefined ? null : digest(endpoint);
        const instant = since === undefined ? null : readInstant(since);
        const values = [ctx.meta.organisation.id, callerId() ?? NO_PERSON, hash, instant];
        const found = await queryOne<{ items: string }>(LIST, values);
        return new JsonText(found?.items ?? "[]");
      },
    }),

    register: action({
      rest: "POST /notifications/push/subscriptions",
      summary: "Register this browser",
      description:
        "For a known endpoint the service updates its row, which then belongs to the caller. The address must be https and public, " +
        "and the keys those of a browser: a point on P-256 and 16 octets, in base64url.",
      permission: WRITE,
      body: PushSubscriptionCreate,
      example: {
        endpoint: "https://fcm.googleapis.com/fcm/send/example",
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      },
      returns: PushSubscriptionRead,
      errors: ["invalid_endpoint"],
      async prepare({ params: { body }, meta }) {
        requireNoImpersonation(meta.principal);
        requireBrowserKeys(body);
        if (await mayBeSaved("push", body.endpoint)) return;
        const message = "errors.push_endpoint_blocked";
        throw refusal("invalid_endpoint", message, { fields: { endpoint: message } });
      },
      async handler(ctx) {
        const { endpoint, p256dh, auth, user_agent = null } = ctx.params.body;
        const account_id = personOf();
        const { id: organisation } = ctx.meta.organisation;
        await organisationKeys();
        const endpoint_hash = digest(endpoint);
        const values = withoutBlanks(PushDevice, {
          ...{ account_id, endpoint, p256dh, auth, user_agent },
          last_seen_at: new Date().toISOString(),
        });
        const known = await queryOne<{ id: string }>(FIND, [organisation, endpoint_hash]);
        // Two tabs of one browser may register at once: the second reruns and finds the row.
        request().retryableConstraints.add("notification_push_devices_endpoint_key");
        if (known) queueUpdate(PushDevice, known.id, values);
        else queueInsert(PushDevice, { ...values, endpoint_hash });
        const found = await queryOne<{ body: string }>(ONE, [organisation, account_id, endpoint_hash]);
        return new JsonText((found as { body: string }).body);
      },
    }),

    remove: action({
      rest: "DELETE /notifications/push/subscriptions/:subscription_id",
      summary: "Forget one of your browsers",
      permission: WRITE,
      async handler(ctx) {
        const row = await lock(PushDevice, ctx.params.subscription_id, "t.account_id = $3", [callerId() ?? NO_PERSON]);
        if (!row) throw notFound();
        requireMatch(row.version);
        queueRemove(PushDevice, row.id);
      },
    }),

    unsubscribe: action({
      rest: "POST /notifications/push/unsubscribe",
      summary: "Forget this browser, if it is registered",
      permission: WRITE,
      body: PushUnsubscribe,
      status: 204,
      async handler(ctx) {
        const { endpoint } = ctx.params.body;
        enqueue(DROP, [ctx.meta.organisation.id, callerId() ?? NO_PERSON, digest(endpoint)]);
      },
    }),

    test: action({
      rest: "POST /notifications/push/test",
      summary: "Push a test to each of your browsers now",
      description:
        "A refusal by a push service is status 200. The service forgets a browser that its push service no longer knows.",
      permission: WRITE,
      status: 200,
      returns: PushTestResult,
      acts: "outside",
      async prepare(ctx): Promise<PushedToAll> {
        const { id, locale } = ctx.meta.organisation;
        const mine = await queryOutside<{ devices: SendableDevice[] }>(MINE, [id, callerId() ?? NO_PERSON]);
        const stored = await queryOutside<StoredKeys>(KEYS, [id]);
        const keys = stored && openKeys(stored);
        if (!mine || mine.devices.length === 0 || !keys) return NONE;
        const { address, branding } = await loadSender(queryOutside);
        const body = testSentence(branding.name, localeOf(null, locale));
        return pushToAll(keys, address, mine.devices, {
          title: branding.name,
          body,
          url: address + INBOX,
          count: 1,
        });
      },
      handler() {
        const pushed = prepared<PushedToAll>();
        noteDevices(pushed);
        const delivered = pushed.taken.length;
        const ok = delivered > 0;
        return { ok, delivered, error: ok ? null : (pushed.error ?? "errors.push_no_device") };
      },
    }),
  },
});
