import { callOutside, checkUrl, OutboundFailed } from "../../../core/outbound/call.ts";
import { OutboundRefused, type Target } from "../../../core/outbound/guard/policy.ts";
import { HostileServer } from "../../simulators/hostile.ts";
import { NameServer } from "../../simulators/names.ts";
import { freePort } from "../../support/ports.ts";
import { prepareRuntime } from "../../support/runtime.ts";

export const names = new NameServer();
/** Two hosts of the machine: the first plays the outside world, the second its own network. */
export const outside = new HostileServer("127.0.0.2");
export const inside = new HostileServer("127.0.0.1");
export const open = (ranges = "127.0.0.2/32", more: Record<string, string> = {}) =>
  prepareRuntime({
    SERVICE_OUTBOUND_ALLOWED_RANGES: ranges,
    SERVICE_OUTBOUND_NAME_SERVERS: names.address,
    SERVICE_POSTURE: "hosted",
    ...more,
  });

/** The guard's result of a call: its reason, the failure's kind, or the status. */
export const outcome = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return ((await call) as { status?: number } | undefined)?.status ?? "allowed";
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    if (error instanceof OutboundFailed) return error.kind;
    throw error;
  }
};
export const saved = (url: string, target: Target = "automation") => outcome(checkUrl(target, url));
export const called = (url: string, options = {}, target: Target = "automation") => outcome(callOutside(target, url, options));

/** Starts the name server and both hosts around the tests of a `describe`. */
export function useHosts(): void {
  before(async () => {
    await names.start();
    await outside.start(await freePort());
    await inside.start(outside.port);
  });
  after(async () => {
    for (const one of [names, outside, inside]) await one.stop();
  });
  beforeEach(() => {
    names.reset();
    outside.requests.length = 0;
    inside.requests.length = 0;
    open();
  });
}
