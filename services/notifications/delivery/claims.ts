import { columns } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { loadSender } from "../../../core/mail/mail-sender.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { SendableChannel } from "../channels/send-channel.ts";
import { Channel } from "../models.ts";
import { openKeys, organisationKeys } from "../push/push-keys.ts";
import { DEVICES, type SendableDevice } from "../push/send-push.ts";
import type { WordedEvent } from "../wording/messages.ts";

/** Most rows claimed per way and organisation at once (platform chapter §5.8). */
const MOST = 200;
/** Attempts per bundle, with 1, 2, 4 and 8 minutes between them. */
const ATTEMPTS = 5;
/** How long a message can be in flight before its node counts as dead. */
const UNDER_WAY = "5 minutes";

export type Way = "email" | "push" | "channel";

/** A claimed delivery, with everything needed to send it. */
interface ClaimedRow extends WordedEvent {
  bundle_id: string;
  way: Way;
  account_id: string | null;
  /** Null if the recipient is no longer a member. */
  recipient: { email: string; name: string | null; locale: string | null } | null;
  /** Null if the channel is deleted or disabled. */
  channel: SendableChannel | null;
}

/** Everything due for one recipient or channel, sent as one message. */
export interface Bundle {
  id: string;
  way: Way;
  accountId: string | null;
  recipient: ClaimedRow["recipient"];
  channel: SendableChannel | null;
  /** The recipient's devices; empty for the other ways. */
  devices: readonly SendableDevice[];
  /** The events, oldest first. */
  events: readonly WordedEvent[];
}

const FAILED = `attempts = attempts + 1, status = case when attempts + 1 >= ${ATTEMPTS} then 'failed' else 'pending' end,
    finished_at = case when attempts + 1 >= ${ATTEMPTS} then statement_timestamp() end`;
/** Ends the claim of rows. @param set their other assignments @param which SQL condition of the rows */
const ending = (set: string, which = "bundle_id = $2") =>
  statement(`update notification_deliveries set ${set}, claimed_at = null, updated_at = statement_timestamp()
  where organisation_id = $1 and ${which} and status = 'sending'`);

// A dead node may have sent what it claimed: count an attempt with a lost answer.
const RECOVER = ending(
  `${FAILED}, error = 'errors.delivery_interrupted', due_at = statement_timestamp()`,
  `claimed_at < statement_timestamp() - interval '${UNDER_WAY}'`,
);
// No two nodes claim the same row, and a bundle contains all rows of a recipient or channel that one node claimed. Its id derives from the
// rows: a second attempt at them is the same message to the receiver, even if the first answer was lost.
const CLAIM = statement(`with due as (
    select d.id from unnest(array['email', 'push', 'channel']) w(way) cross join lateral (
      select id from notification_deliveries where organisation_id = $1 and way = w.way and status = 'pending'
        and due_at <= statement_timestamp() order by due_at, id limit ${MOST} for update skip locked) d),
  bundles as (
    select d.way, d.account_id, d.channel_id, md5(string_agg(d.id::text, ' ' order by d.id))::uuid as id from notification_deliveries d
     where d.organisation_id = $1 and d.id in (select id from due) group by d.way, d.account_id, d.channel_id)
  update notification_deliveries d set status = 'sending', claimed_at = statement_timestamp(), bundle_id = b.id,
      updated_at = statement_timestamp()
    from bundles b where d.organisation_id = $1 and d.id in (select id from due) and b.way = d.way
     and b.account_id is not distinct from d.account_id and b.channel_id is not distinct from d.channel_id
  returning b.id as bundle_id`);
const LOAD =
  statement(`select d.bundle_id, d.way, d.account_id, v.event_type, v.entity_type, v.entity_id, v.actor_name, v.payload,
    v.created_at as occurred_at,
    case when m.is_live then json_build_object('email', a.email, 'name', a.full_name, 'locale', a.locale) end as recipient,
    case when c.enabled then (select to_jsonb(k) from (select ${columns(Channel, "c")}) k) end as channel
  from notification_deliveries d
  left join notifications n on n.organisation_id = $1 and n.id = d.notification_id
  join notification_events v on v.organisation_id = $1 and v.id = coalesce(n.event_id, d.event_id)
  left join member_access m on m.organisation_id = $1 and m.account_id = d.account_id
  left join accounts a on a.id = m.account_id
  left join notification_channels c on c.organisation_id = $1 and c.id = d.channel_id
  where d.organisation_id = $1 and d.bundle_id = any($2::uuid[]) and d.status = 'sending' order by v.created_at, d.id`);

const SENT = ending("status = 'sent', attempts = attempts + 1, error = null, finished_at = statement_timestamp()");
const AGAIN = ending(`${FAILED}, error = $3,
    due_at = statement_timestamp() + greatest(make_interval(mins => (2 ^ attempts)::int), make_interval(secs => $4::int))`);
const GONE = ending("status = 'failed', error = $3, finished_at = statement_timestamp()");
const RETURN = ending("status = 'pending'", "bundle_id = any($2::uuid[])");

/** What all messages of a run have in common. */
export interface Surroundings {
  /** The organisation's base address, and its brand name. */
  base: string;
  brand: string;
  /** Null if the private key cannot be unsealed. */
  keys: ReturnType<typeof openKeys>;
}

function bundled(rows: readonly ClaimedRow[], devices: readonly SendableDevice[]): Bundle[] {
  return [...Map.groupBy(rows, ({ bundle_id }) => bundle_id)].map(([id, events]) => {
    const [{ way, account_id: accountId, recipient, channel }] = events as [ClaimedRow, ...ClaimedRow[]];
    const own = way === "push" ? devices.filter(({ account_id }) => account_id === accountId) : [];
    return { id, way, accountId, recipient, channel, devices: own, events };
  });
}

/**
 * Claims everything due for the running organisation, up to 200 rows per way, in the running write: only this run sends them. The number of
 * statements is fixed.
 */
export async function claimDue(): Promise<{ bundles: Bundle[]; around: Surroundings } | null> {
  const { id } = request().organisation;
  enqueue(RECOVER, [id]);
  const claimed = await query<{ bundle_id: string }>(CLAIM, [id]);
  if (claimed.length === 0) return null;
  const ids = [...new Set(claimed.map(({ bundle_id }) => bundle_id))];
  const rows = await query<ClaimedRow>(LOAD, [id, ids]);
  const pushed = rows.flatMap(({ way, account_id }) => (way === "push" && account_id !== null ? [account_id] : []));
  const devices = pushed.length > 0 ? await query<SendableDevice>(DEVICES, [id, [...new Set(pushed)]]) : [];
  const keys = pushed.length > 0 ? openKeys(await organisationKeys()) : null;
  const { address, branding } = await loadSender();
  return {
    bundles: bundled(rows, devices),
    around: { base: address, brand: branding.name, keys },
  };
}

/** The outcome of a bundle: `gone` if its recipient no longer exists. */
export type Ending =
  | { state: "sent" }
  | { state: "again"; error: string; retryAfter: number | null }
  | { state: "gone"; error: string };

/**
 * Stores the outcome of a bundle in the running write. Retries wait 1, 2, 4 and 8 minutes, or as long as the provider asks if that is
 * longer.
 */
export function endBundle(bundle: string, ending: Ending): void {
  const of = [request().organisation.id, bundle];
  if (ending.state === "sent") enqueue(SENT, of);
  else if (ending.state === "gone") enqueue(GONE, [...of, ending.error]);
  else enqueue(AGAIN, [...of, ending.error, Math.min(ending.retryAfter ?? 0, 86_400)]);
}

/** Requeues bundles that the run did not reach, in the running write, without counting an attempt. */
export function returnBundles(bundles: readonly string[]): void {
  if (bundles.length > 0) enqueue(RETURN, [request().organisation.id, bundles]);
}
