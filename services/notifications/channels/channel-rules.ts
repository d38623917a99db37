import { queryOne } from "../../../core/database/query.ts";
import { forbidden, invalid } from "../../../core/errors/errors.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { OutboundRefused, type Target } from "../../../core/outbound/guard/policy.ts";
import { channelAdapter } from "../../../core/providers/channels/adapters.ts";
import { type ChannelAddress, ChannelAddressRefused } from "../../../core/providers/channels/channel.ts";
import { callerId, mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const MANAGE = "notifications.channels.manage";
const MEMBER = statement("select from member_access m where m.organisation_id = $1 and m.account_id = $2 and m.is_live");

/**
 * Whose channels the caller may access: null for everyone's, else the account. @throws 403 for a caller without an account or the
 * permission
 */
export function reachOf(): string | null {
  if (mayCaller(MANAGE)) return null;
  const account = callerId();
  if (account === null) throw forbidden();
  return account;
}

/**
 * The owner of a new channel: the caller, unless they may manage rooms; then as requested, null for a shared room.
 * @throws 422 `user_id` for an account that is not a member
 */
export async function ownerOf(asked: string | null | undefined): Promise<string | null> {
  const own = reachOf();
  if (own !== null) return own;
  if (!asked) return null;
  if (!(await queryOne(MEMBER, [request().organisation.id, asked]))) throw invalid({ user_id: "errors.not_found" });
  return asked;
}

/**
 * Whether a user's address can be saved: not if its name resolves to a non-public address, or to nothing. If name servers do not answer it
 * can; every send resolves the name again.
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
 * Parses the address of a channel and checks it against the guard; call it before the transaction begins.
 * @throws 422 `url`: `notification_channel_input` for an invalid form, `notification_channel_blocked` for an address that must not be
 * called
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

/** The trimmed name. @throws 422 if it is empty */
export function nameOf(typed: string): string {
  const name = typed.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}
