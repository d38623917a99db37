import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "../../../core/config/runtime.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { POLL } from "./mail-jobs.ts";
import { lockedMailbox, type MailboxRow, type PollResult, storeMailbox } from "./mailbox-rows.ts";

/** Milliseconds between manual polls. */
const COOLDOWN = 60_000;
/** Milliseconds between checks for the end of a poll. */
const FIRST_LOOK = 20;
const LONGEST_LOOK = 250;

const STATE = statement("select ended, result from workspace_mailboxes where organisation_id = $1 and connection_id = $2");

/** Seconds until the caller can request a manual poll again; 0 if now. */
export const cooldownOf = (row: Pick<MailboxRow, "asked_at"> | undefined, now: number): number =>
  row?.asked_at ? Math.max(0, Math.ceil((Date.parse(row.asked_at) + COOLDOWN - now) / 1000)) : 0;

/**
 * Requests a poll; of concurrent requests only one succeeds. The cooldown starts before the poll, so it also applies to a mailbox that
 * fails.
 * @returns the poll's number, or null if the last request was less than a minute ago
 */
async function ask(connectionId: string): Promise<number | null> {
  const row = await lockedMailbox(connectionId);
  if (cooldownOf(row, Date.now()) > 0) return null;
  const number = row.asked + 1;
  await storeMailbox(connectionId, { asked: number, asked_at: new Date().toISOString(), result: null });
  schedule(POLL, { connection_id: connectionId, number }, { key: connectionId });
  return number;
}

/**
 * Polls a mailbox and waits for the end, before the request has a transaction. The poll continues even if the caller disconnects.
 * @throws 503 if it takes longer than the request timeout
 */
export async function refresh(connectionId: string): Promise<PollResult | "cooldown"> {
  const number = await inOwnTransaction(() => ask(connectionId));
  if (number === null) return "cooldown";
  const deadline = performance.now() + runtime().config.requestTimeout;
  for (let pause = FIRST_LOOK; performance.now() < deadline; pause = Math.min(pause * 1.5, LONGEST_LOOK)) {
    const state = await queryOutside<Pick<MailboxRow, "ended" | "result">>(STATE, [request().organisation.id, connectionId]);
    if (!state) throw refusal("workspace_not_connected");
    if (state.ended >= number) return state.result ?? { status: "error", logged: 0 };
    await sleep(pause);
  }
  throw refusal("unavailable");
}
