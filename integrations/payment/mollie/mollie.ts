import { redact } from "../../../core/outbound/redact.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { isDecimal } from "../../../core/values/money.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { PaymentCallback, PaymentMode, PaymentOrder, PaymentProvider, PaymentStatus, ProviderPayment } from "../provider.ts";
import { type MollieAnswer as Answer, callMollie, MollieRefusal } from "./mollie-client.ts";
import { mollieLocale } from "./mollie-locales.ts";

const KEY = /^(test|live)_[\x21-\x7e]+$/;
const PAYMENT_ID = /^tr_[A-Za-z0-9]+$/;
const STATUSES = new Set<string>(["open", "pending", "authorized", "paid", "failed", "expired", "canceled"]);
const KEPT = [
  "createdAt",
  "expiresAt",
  "authorizedAt",
  "paidAt",
  "failedAt",
  "expiredAt",
  "canceledAt",
  "isCancelable",
  "amount",
];
/** Account numbers in a bank's text about a payment (ISO 13616). */
const IBAN = /\b[A-Z]{2}\d{2}[A-Z0-9]{10,30}\b/g;
/** How often to repeat an order that Mollie is still processing, and the pause between in milliseconds. */
const MOST_TRIES = 4;
const PAUSE = 500;

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const part = (value: unknown): Answer => (typeof value === "object" && value !== null ? (value as Answer) : {});

/** The checkout address, only if it is safe to redirect a browser to. */
function addressIn(answer: Answer): string | null {
  const address = text(part(part(answer["_links"])["checkout"])["href"]);
  return address !== null && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? address : null;
}

function amountIn(answer: Answer): ProviderPayment["amount"] {
  const { value, currency } = part(answer["amount"]);
  return typeof value === "string" && isDecimal(value) && typeof currency === "string" ? { value, currency } : null;
}

function failureIn(answer: Answer): string | null {
  const [details, reason] = [part(answer["details"]), part(answer["statusReason"])];
  const said = [details["failureMessage"], details["failureReason"], details["bankReason"], reason["message"]].map(text);
  const first = said.find((one) => one !== null) ?? null;
  return first === null ? null : redact(first.replace(IBAN, "***"));
}

/** Reads Mollie's payment leniently (Payments API v2). */
function read(answer: Answer): ProviderPayment {
  const { status, mode, method, paidAt } = answer;
  return {
    id: String(answer["id"]),
    status: STATUSES.has(String(status)) ? (status as PaymentStatus) : "pending",
    mode: mode === "test" || mode === "live" ? mode : null,
    amount: amountIn(answer),
    method: text(method),
    checkoutUrl: addressIn(answer),
    paidAt: typeof paidAt === "string" ? readInstant(paidAt) : null,
    failure: failureIn(answer),
    extract: Object.fromEntries(KEPT.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]]))),
  };
}

/** Mollie's body of an order. No method and no profile, because a key has its own. */
const orderOf = ({ amount, currency, description, locale, returnUrl, callbackUrl, metadata }: PaymentOrder) => {
  const spoken = mollieLocale(locale);
  return {
    amount: { currency, value: amount },
    description: shortened(description, 255),
    redirectUrl: returnUrl,
    webhookUrl: callbackUrl,
    metadata,
    ...(spoken !== undefined && { locale: spoken }),
  };
};

/** The ids in a callback's body: the form field `id`, or in JSON `id` or `data.id`. */
function idOf({ headers, body }: PaymentCallback): string[] {
  const given = body.toString();
  if (!/json/i.test(headers["content-type"] ?? "") && !given.trimStart().startsWith("{"))
    return new URLSearchParams(given).getAll("id");
  try {
    const parsed = part(JSON.parse(given));
    return [parsed["id"], part(parsed["data"])["id"]].filter((id) => typeof id === "string");
  } catch {
    return [];
  }
}

/** Mollie, Payments API v2, with the organisation's own key. */
export const mollie: PaymentProvider = {
  key: "mollie",
  modeOf: (apiKey) => (KEY.exec(apiKey)?.[1] as PaymentMode | undefined) ?? null,

  async verify(access) {
    const { _embedded } = await callMollie(access, { operation: "methods.list", path: "/methods" });
    const { methods } = part(_embedded);
    return (Array.isArray(methods) ? methods : []).map((method) => String(part(method)["id"]));
  },

  async create(access, order) {
    const create = { body: orderOf(order), idempotencyKey: order.id };
    for (let tries = 1; ; tries++) {
      try {
        return read(await callMollie(access, { operation: "payments.create", path: "/payments", create }));
      } catch (error) {
        if (!(error instanceof MollieRefusal) || error.status !== 409 || tries === MOST_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  },

  async fetch(access, id) {
    try {
      return read(await callMollie(access, { operation: "payments.get", path: `/payments/${encodeURIComponent(id)}` }));
    } catch (error) {
      if (error instanceof MollieRefusal && error.status === 404) return null;
      throw error;
    }
  },

  idsIn: (callback) => [...new Set(idOf(callback))].filter((id) => PAYMENT_ID.test(id)),
};
