import { CLEARING_TIMEOUT, clearOldEverywhere } from "../../core/clearing/clear.ts";
import { localeOf } from "../../core/config/defaults.ts";
import type { RowOf } from "../../core/database/model.ts";
import { enqueue, queryOne } from "../../core/database/query.ts";
import type { SmsKindName } from "../../core/declare/messages.ts";
import { JobFailure } from "../../core/errors/job-failure.ts";
import { job, type OrganisationRun } from "../../core/jobs/jobs.ts";
import { loadSender } from "../../core/mail/mail-sender.ts";
import { SmsMessage, smsAvailable, smsCode, smsKind } from "../../core/mail/sms.ts";
import { statement } from "../../core/sql/statement.ts";
import { resource } from "../../mixins/resource.ts";
import { SmsFailure } from "./gateway.ts";
import { oldMessages } from "./sms.due.ts";
import { telnyx } from "./telnyx.ts";

const TAKE = statement(`update sms_messages set attempts = attempts + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued' returning kind, phone, locale, created_at`);
// A finished message no longer needs its whole phone number.
const END = statement(`update sms_messages set status = $3, gateway_id = $4, last_error = $5, version = version + 1,
    sent_at = case when $3 = 'sent' then statement_timestamp() end, updated_at = statement_timestamp(),
    phone = left(phone, 3) || repeat('•', greatest(0, length(phone) - 6)) || right(phone, 3)
  where organisation_id = $1 and id = $2 and status = 'queued'`);
const NOTE = statement(`update sms_messages set last_error = $3, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued'`);

type StoredSms = Pick<RowOf<typeof SmsMessage>, "phone" | "locale" | "created_at"> & { kind: SmsKindName };

type SendRun = OrganisationRun<{ sms_id: string }>;

const end = (run: SendRun, status: "sent" | "failed", gatewayId: string | null, error: string | null): Promise<void> =>
  run.write(async () => enqueue(END, [run.organisation.id, run.payload.sms_id, status, gatewayId, error]));

/** Renders a message and sends it. After a crash in between, it is sent again with the same code and idempotency key. */
async function send(run: SendRun): Promise<void> {
  const { sms_id: id } = run.payload;
  const sms = await run.write(() => queryOne<StoredSms>(TAKE, [run.organisation.id, id]));
  if (!sms) return;
  const { texts, worthSending } = smsKind(sms.kind);
  if (Date.now() - Date.parse(sms.created_at) > worthSending) return end(run, "failed", null, "errors.sms_expired");
  if (!smsAvailable()) return end(run, "failed", null, "errors.sms_not_configured");
  const { branding } = await run.read(() => loadSender());
  const code = smsCode(id);
  const text = texts[localeOf(sms.locale, run.organisation.locale)]({ brand: branding.name, code });
  let gatewayId: string;
  try {
    gatewayId = await telnyx.send({ id, to: sms.phone, text, secrets: [code, sms.phone], signal: run.signal });
  } catch (error) {
    if (!(error instanceof SmsFailure)) throw error;
    if (error.permanent || run.lastAttempt) await end(run, "failed", null, error.message);
    else await run.write(async () => enqueue(NOTE, [run.organisation.id, id, error.message]));
    if (error.permanent) throw new JobFailure(error.message);
    throw error.retryAfter === null ? error : new JobFailure(error.message, error.retryAfter);
  }
  await end(run, "sent", gatewayId, null);
}

/** Sends the messages that `queueSms` recorded. */
export default resource("sms", {
  model: SmsMessage,
  actions: {},
  jobs: {
    "sms.send": job<{ sms_id: string }>({
      about: "Makes one text message and hands it to the gateway",
      concurrency: 5,
      timeout: 60_000,
      retry: { attempts: 5, backoff: { first: 3_000, factor: 3, most: 120_000 } },
      handler: send,
    }),
    "sms.clear": {
      about: "Removes text messages, by default after 30 days",
      per: "installation",
      schedule: "37 2 * * *",
      timeout: CLEARING_TIMEOUT,
      handler: (run) => clearOldEverywhere(run, oldMessages),
    },
  },
});
