import { isIP } from "node:net";
import { invalid } from "../../../core/errors/errors.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { targetField } from "../kuma/remote-monitor.ts";

/** The target of a monitor. */
export interface Watched {
  monitor_type: string;
  target: string | null;
  port: number | null;
}

const HOST = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/;

/**
 * An address for the server to call; null unless it is http or https without credentials. Private addresses are allowed, because the server
 * calls them, not this service.
 */
function readAddress(typed: string): string | null {
  if (!/^https?:\/\/[^\s\\]+$/i.test(typed) || !URL.canParse(typed)) return null;
  const { username, password } = new URL(typed);
  return username === "" && password === "" ? typed : null;
}

function readHost(typed: string): string | null {
  const name = isIP(typed) === 0 ? asciiName(typed) : typed;
  return isIP(name) !== 0 || HOST.test(name) ? name : null;
}

/** Validates the target of a monitor. @throws 422 on `target` and `port`: a type has the fields that it needs and no others */
export function readWatched({ monitor_type, target: typed, port }: Watched): Watched {
  const field = targetField(monitor_type);
  const target = typed?.trim() || null;
  const fields: Record<string, string> = {};
  if (field === null) {
    if (target !== null) fields["target"] = "errors.validation";
    if (port !== null) fields["port"] = "errors.validation";
  } else {
    const read = target && (field === "url" ? readAddress(target) : readHost(target));
    if (target === null) fields["target"] = "errors.required";
    else if (read === null) fields["target"] = field === "url" ? "errors.invalid_url" : "errors.validation";
    if (monitor_type === "port" && port === null) fields["port"] = "errors.required";
    if ((field === "url" || monitor_type === "ping") && port !== null) fields["port"] = "errors.validation";
    if (Object.keys(fields).length === 0) return { monitor_type, target: read, port };
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return { monitor_type, target: null, port: null };
}
