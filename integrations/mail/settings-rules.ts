import { isIP } from "node:net";
import type { Config } from "../../core/config/config.ts";
import { MAIL_PROVIDERS } from "../../core/config/mail-choices.ts";
import type { OwnOf } from "../../core/database/model.ts";
import { invalid } from "../../core/errors/errors.ts";
import type { EmailSettings } from "../../core/mail/email-settings.ts";
import { USUAL_PORT } from "../../core/mail/mail-transport.ts";
import { readHost } from "../../core/outbound/guard/addressing.ts";
import { isAllowed } from "../../core/outbound/guard/policy.ts";
import { IN_HEADER, isEmail, type Static } from "../../core/schema/schema.ts";
import { blankToNull } from "../../core/values/text.ts";
import type { EmailSettingsWrite } from "./settings-schemas.ts";
import { oneLine } from "./template.ts";

/** The sent settings of an organisation's mail. */
export type GivenSettings = Omit<Static<typeof EmailSettingsWrite>, "secret">;

/** All columns to store; those a provider does not use are null. */
export type StoredSettings = Omit<OwnOf<typeof EmailSettings>, "secret">;

/** The error of an unreachable relay: no valid host, or a literal address the guard refuses. Names are resolved when mail is sent. */
function hostFault(host: string, port: number, config: Config): string | undefined {
  try {
    const name = readHost("smtp", host, port);
    return isIP(name) !== 0 && !isAllowed("smtp", name, config) ? "errors.validation" : undefined;
  } catch {
    return "errors.validation";
  }
}

/** How a relay is reached, with the defaults of what was not sent. */
function relayOf({ host, port, security: sent }: Pick<GivenSettings, "host" | "port" | "security">): string {
  const security = sent ?? "starttls";
  return `${security} ${host?.trim().toLowerCase()} ${port ?? USUAL_PORT[security]}`;
}

/**
 * Whether a stored secret may be sent to a transport. It only goes to the server it was saved for: another host, port or security is another
 * server (conventions §16).
 */
export const isSameTransport = (
  stored: Pick<StoredSettings, "provider" | "host" | "port" | "security">,
  given: Pick<GivenSettings, "provider" | "host" | "port" | "security">,
): boolean => stored.provider === given.provider && (given.provider !== "smtp" || relayOf(stored) === relayOf(given));

const IS_HEADER = new RegExp(IN_HEADER);

/**
 * Validates settings as a whole and fills in derived values (conventions §19).
 * @param hasSecret whether a secret for this provider will be stored
 * @param sent the secret in the request; a provider other than a relay gets it in a header
 * @throws 422 with every missing or invalid field
 */
export function checkedSettings(given: GivenSettings, hasSecret: boolean, config: Config, sent = ""): StoredSettings {
  const tidy = (value: string | null | undefined) => blankToNull(value?.trim()) ?? null;
  const tidyAddress = (value: string | null | undefined) => tidy(value?.toLowerCase());
  const [address, replyTo] = [tidyAddress(given.from_address), tidyAddress(given.reply_to)];
  const isOwn = (MAIL_PROVIDERS as readonly string[]).includes(given.provider);
  const isRelay = given.provider === "smtp";
  const security = isRelay ? (given.security ?? "starttls") : "starttls";
  const port = isRelay ? (given.port ?? USUAL_PORT[security]) : null;
  const host = isRelay ? tidy(given.host) : null;

  const faults: Record<string, string | undefined> = {
    from_address:
      address === null ? (isOwn ? "errors.required" : undefined) : isEmail(address) ? undefined : "errors.invalid_email",
    reply_to: replyTo === null || isEmail(replyTo) ? undefined : "errors.invalid_email",
    host: isRelay ? (host === null ? "errors.required" : hostFault(host, port as number, config)) : undefined,
    secret:
      !isOwn || isRelay ? undefined : !hasSecret ? "errors.required" : IS_HEADER.test(sent) ? undefined : "errors.validation",
  };
  const fields = Object.fromEntries(Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== undefined));
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return {
    provider: given.provider,
    from_address: isOwn ? (address as string) : null,
    from_name: tidy(oneLine(given.from_name ?? "")),
    reply_to: replyTo,
    host,
    port,
    security,
    username: isRelay ? tidy(given.username) : null,
  };
}
