import { runtime } from "../../../core/config/runtime.ts";
import { type ProviderAnswer, ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { type RegistrarAccess, RegistrarFailure } from "../provider.ts";
import { child, readXml, textIn, type XmlElement } from "./xml.ts";

/** One response contains the whole register and may take long (assets §5.3). */
const client = provider({
  kind: "registrar",
  baseUrl: () => runtime().config.registrarApiUrl,
  readTimeout: 45_000,
  mostBytes: 32 << 20,
});

/** `XMLOK18`, `XMLOK 18`, `XMLPEN 1`: done, or accepted. HTTP 200 and `order_complete` are meaningless (assets §10.1). */
const SUCCESS = /^XML(OK|PEN)\b|^XML(OK|PEN)\d/i;
const ABOUT_CREDENTIALS = /login|inloggen|authenticat|wachtwoord|password|toegang/i;

/** A command that the registrar understood but refused. */
export class OxxaRefusal extends RegistrarFailure {
  override name = "OxxaRefusal";
}

interface Order {
  code: string;
  description: string;
  details: XmlElement | undefined;
}

/** @throws Error for anything but a registrar's response */
function orderIn(body: Buffer): Order {
  const root = readXml(body);
  const order = root.name === "channel" ? child(root, "order") : undefined;
  const code = textIn(order, "status_code");
  if (code === null) throw new Error("the answer has no status code");
  return { code, description: textIn(order, "status_description") ?? "", details: child(order, "details") };
}

/** The order in a response of any status; null if unreadable. */
function orderOrNull(body: Buffer): Order | null {
  try {
    return orderIn(body);
  } catch {
    return null;
  }
}

/** The forms in which the password could appear in a text. */
const secretsOf = ({ password }: RegistrarAccess): string[] => [
  password,
  new URLSearchParams({ x: password }).toString().slice("x=".length),
];

/** The failure for a refused order. */
function refusalOf(access: RegistrarAccess, status: number, { code, description }: Order): RegistrarFailure {
  const said = redact(`${status === 200 ? "" : `HTTP ${status}: `}${code} ${description}`, secretsOf(access));
  if (status === 401 || status === 403 || ABOUT_CREDENTIALS.test(description)) return new RegistrarFailure("rejected", said);
  return status < 300 ? new OxxaRefusal("failed", said) : new RegistrarFailure("failed", said);
}

/** The failure for a call without a usable response; the body may still show that the credential is wrong. */
function failureOf(access: RegistrarAccess, failure: ProviderFailure): RegistrarFailure {
  const order = failure.answer && orderOrNull(failure.answer.body);
  if (order && failure.status !== null && ABOUT_CREDENTIALS.test(order.description))
    return refusalOf(access, failure.status, order);
  return RegistrarFailure.of(failure);
}

function orderOf(access: RegistrarAccess, { status, body }: ProviderAnswer): Order {
  if (status === 401 || status === 403 || status >= 300) {
    const order = orderOrNull(body) ?? { code: "", description: "", details: undefined };
    throw refusalOf(access, status, order);
  }
  try {
    return orderIn(body);
  } catch (error) {
    throw new RegistrarFailure("failed", redact((error as Error).message, secretsOf(access)), { cause: error });
  }
}

/**
 * Runs one command (assets §10.1). The registrar requires the credential as a query parameter, so no URL is logged or stored.
 * @param parameters in addition to the credential
 * @param effect `create` for a change, which is never repeated
 * @returns the details of the response; undefined if it has none
 * @throws OxxaRefusal for a command that was understood and refused, RegistrarFailure for all else
 */
export async function command(
  access: RegistrarAccess,
  name: string,
  parameters: Readonly<Record<string, string>> = {},
  effect: "read" | "create" = "read",
): Promise<XmlElement | undefined> {
  const { account, user, password } = access;
  const query = { apiuser: user, apipassword: password, command: name, ...parameters };
  let answer: ProviderAnswer;
  try {
    answer = await client.call({
      account,
      operation: name,
      path: "/command.php",
      query,
      headers: { accept: "text/xml, application/xml" },
      effect,
      secrets: secretsOf(access),
    });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw failureOf(access, error);
  }
  const order = orderOf(access, answer);
  if (!SUCCESS.test(order.code)) throw refusalOf(access, answer.status, order);
  return order.details;
}
