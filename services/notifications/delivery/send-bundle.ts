import { writeInsistently } from "../../../core/jobs/insisting.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { type CallActor, handOver } from "../../../core/mail/mail-now.ts";
import { sendToChannel } from "../channels/send-channel.ts";
import { noteDevices, pushToAll } from "../push/send-push.ts";
import { bundleMessage } from "../wording/messages.ts";
import { type Bundle, type Ending, endBundle, type Surroundings } from "./claims.ts";
import { unsubscribePath } from "./unsubscribing.ts";

const gone = (error: string): Ending => ({ state: "gone", error });

/** Sends one bundle, outside any transaction, and returns the outcome. */
async function sent(run: OrganisationRun, bundle: Bundle, { base, brand, keys }: Surroundings): Promise<Ending> {
  const { id, way, recipient, channel, devices, events, accountId } = bundle;
  const locale = recipient?.locale ?? null;
  const message = bundleMessage(id, events, { base, locale, organisationLocale: run.organisation.locale });
  const call: CallActor = (action, parameters) => run.call(action, parameters);
  if (accountId !== null && recipient === null) return gone("errors.notification_recipient_gone");
  if (way === "channel") {
    if (channel === null) return gone("errors.notification_channel_gone");
    const done = await sendToChannel(channel, message, { call, base, signal: run.signal });
    return done.ok ? { state: "sent" } : { state: "again", error: done.error, retryAfter: done.retryAfter };
  }
  if (recipient === null || accountId === null) return gone("errors.notification_recipient_gone");
  const { title, items, link } = message;
  if (way === "email") {
    const handed = await handOver(call, {
      id,
      kind: "notification",
      to: { address: recipient.email, name: recipient.name, locale },
      variables: { title, lines: items.map(({ text }) => text) },
      link: link.slice(base.length),
      unsubscribe: unsubscribePath(run.organisation.id, accountId, events),
    });
    return handed.accepted ? { state: "sent" } : { state: "again", error: handed.error, retryAfter: null };
  }
  if (devices.length === 0 || keys === null) return gone("errors.push_no_device");
  const body = items.length === 1 ? title : items.map(({ text }) => text).join("\n");
  const heading = items.length === 1 ? brand : `${brand}: ${title}`;
  const pushed = await pushToAll(keys, base, devices, { title: heading, body, url: link, count: items.length }, run.signal);
  await run.write(async () => noteDevices(pushed));
  if (pushed.taken.length > 0) return { state: "sent" };
  if (pushed.error === null) return gone("errors.push_no_device");
  return { state: "again", error: pushed.error, retryAfter: pushed.retryAfter };
}

/** Sends one bundle and stores its outcome; a failure affects only this bundle. */
export async function sendBundle(run: OrganisationRun, bundle: Bundle, around: Surroundings): Promise<void> {
  let ending: Ending;
  try {
    ending = await sent(run, bundle, around);
  } catch (error) {
    run.logger.error(
      { event: "notifications.delivery_failed", way: bundle.way, error: (error as Error).message },
      "a notification could not be sent",
    );
    ending = { state: "again", error: "errors.server", retryAfter: null };
  }
  await writeInsistently(run, async () => endBundle(bundle.id, ending));
}
