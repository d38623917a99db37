import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { forbidden, invalid } from "../../../core/declare/errors.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { OutboundRefused, type Target } from "../../../core/outbound/guard/policy.ts";
import { callerId, mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { channelAdapter } from "../../../integrations/channels/adapters.ts";
import { type ChannelAddress, ChannelAddressRefused } from "../../../integrations/channels/channel.ts";

const MANAGE = "notifications.channels.manage";
const MEMBER = statement("select from member_access m where m.organisation_id = $1 and m.account_id = $2 and m.is_live");

/** Whose channels the caller reaches: null for everybody's, else the account. @throws 403 for a caller without a person and without the right */
export function reachOf(): string | null {
  if (mayCaller(MANAGE)) return null;
  const account = callerId();
  if (account === null) throw forbidden();
  return account;
}

/**
 * Whose a new channel is: the caller's own for who may not manage rooms, else as asked, null for a shared room.
 * @throws 422 `user_id` for an account that is no member
 */
export async function ownerOf(asked: string | null | undefined): Promise<string | null> {
  const own = reachOf();
  if (own !== null) return own;
  if (!asked) return null;
  if (!(await queryOne(MEMBER, [request().organisation.id, asked]))) throw invalid({ user_id: "errors.not_found" });
  return asked;
}

/**
 * Whether an address a user gave may be saved: not where its name resolves to something that is not public, or to nothing. While name
 * servers give no answer it may; the name is resolved again whenever something is sent.
 */
export async function mayBeSaved(target: Target, address: string): Promise<boolean> {
  try {
    await checkSaved(target, address);
    return true;
  } catch (error) {
    if (error instanceof OutboundRefused) return false;
    throw error;
  }
}

/**
 * Reads the address of a channel and has it pass the guard; to be asked before there is a transaction.
 * @throws 422 `url`: `notification_channel_input` for the wrong shape, `notification_channel_blocked` for what may not be called
 */
export async function readAddress(kind: string, typed: string): Promise<ChannelAddress> {
  const refuse = (reason: "input" | "blocked") => invalid({ url: `errors.notification_channel_${reason}` });
  try {
    const address = channelAdapter(kind).read(typed);
    if (address.web !== null && !(await mayBeSaved("notification", address.web))) throw refuse("blocked");
    return address;
  } catch (error) {
    throw error instanceof ChannelAddressRefused ? refuse(error.reason) : error;
  }
}

/** A name without blanks around it. @throws 422 when nothing is left */
export function nameOf(typed: string): string {
  const name = typed.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}
