import { runtime } from "../../../core/config/runtime.ts";
import { type ProviderAnswer, ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { type RegistrarAccess, RegistrarFailure } from "../provider.ts";
import { child, readXml, textIn, type XmlElement } from "./xml.ts";

/** A whole register comes in one answer, and may take its time (assets §5.3). */
const client = provider({
  kind: "registrar",
  baseUrl: () => runtime().config.registrarApiUrl,
  readTimeout: 45_000,
  mostBytes: 32 << 20,
});

/** `XMLOK18`, `XMLOK 18`, `XMLPEN 1`: done, or accepted. HTTP 200 and `order_complete` say nothing (assets §10.1). */
const SUCCESS = /^XML(OK|PEN)\b|^XML(OK|PEN)\d/i;
const ABOUT_CREDENTIALS = /login|inloggen|authenticat|wachtwoord|password|toegang/i;

/** A command that was understood and not carried out. */
export class OxxaRefusal extends RegistrarFailure {
  override name = "OxxaRefusal";
}

interface Order {
  code: string;
  description: string;
  details: XmlElement | undefined;
}

/** @throws Error for what is no answer of the registrar */
function orderIn(body: Buffer): Order {
  const root = readXml(body);
  const order = root.name === "channel" ? child(root, "order") : undefined;
  const code = textIn(order, "status_code");
  if (code === null) throw new Error("the answer has no status code");
  return { code, description: textIn(order, "status_description") ?? "", details: child(order, "details") };
}

/** The order in an answer of any status; null where there is none to be read. */
function orderOrNull(body: Buffer): Order | null {
  try {
    return orderIn(body);
  } catch {
    return null;
  }
}

/** Forms in which the password may come back in a text. */
const secretsOf = ({ password }: RegistrarAccess): string[] => [
  password,
  new URLSearchParams({ x: password }).toString().slice("x=".length),
];

/** The failure that an order which was not carried out stands for. */
function refusalOf(access: RegistrarAccess, status: number, { code, description }: Order): RegistrarFailure {
  const said = redact(`${status === 200 ? "" : `HTTP ${status}: `}${code} ${description}`, secretsOf(access));
  if (status === 401 || status === 403 || ABOUT_CREDENTIALS.test(description)) return new RegistrarFailure("rejected", said);
  return status < 400 ? new OxxaRefusal("failed", said) : new RegistrarFailure("failed", said);
}

/** What a call without a usable answer stands for; one that failed may still say that the credential is wrong. */
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
 * Has one command carried out (assets §10.1). The credential goes as a parameter of the address, as the registrar wants it: no address is
 * logged or kept.
 * @param parameters beside the credential
 * @param effect what changes something is a `create`, which nothing repeats
 * @returns the details of the answer; undefined where it has none
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
