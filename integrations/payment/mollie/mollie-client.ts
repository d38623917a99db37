import { runtime } from "../../../core/config/runtime.ts";
import { ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { type PaymentAccess, PaymentFailure } from "../provider.ts";

const root = () => runtime().config.paymentApiRoot;

/** This file does its own retries: reads once, creates never (money §11). */
const client = provider({ kind: "payment", baseUrl: root, mostBytes: 4 << 20, perMinute: 300, repeats: false });

/** Longest pause before retrying a rejected read, in milliseconds: a payer may be waiting for it. */
const LONGEST_PAUSE = 2000;
const FIRST_PAUSE = 250;

/** A call below the root path. */
export interface MollieCall {
  /** Name in logs and metrics, such as `payments.get`. */
  operation: string;
  /** With a leading slash; the caller encodes external parts. */
  path: string;
  /** The payload of a creation; without it the call reads. */
  create?: { body: object; idempotencyKey: string };
}

/** A JSON object that Mollie returned. */
export type MollieAnswer = Readonly<Record<string, unknown>>;

/** An error response of Mollie: `{status, title, detail, field}`. */
export class MollieRefusal extends PaymentFailure {
  readonly status: number;
  constructor(status: number, message: string) {
    // 409: Mollie is still processing the same order.
    super(status === 401 || status === 403 ? "rejected" : "failed", message, { isUnknown: status === 409 || status >= 500 });
    this.status = status;
  }
}

const refusalOf = (status: number, body: unknown, secrets: readonly string[]): MollieRefusal => {
  const { title, detail, field } = (body ?? {}) as Record<string, unknown>;
  const said = [title, detail, field].filter((part) => typeof part === "string").join(" ");
  return new MollieRefusal(status, redact(`HTTP ${status} ${said}`, secrets));
};

async function send({ account, apiKey }: PaymentAccess, { operation, path, create }: MollieCall): Promise<MollieAnswer> {
  const secrets = [apiKey];
  const headers = { authorization: `Bearer ${apiKey}`, accept: "application/hal+json" };
  const { status, body, ...answer } = await client.answer({
    account,
    operation,
    path,
    headers,
    secrets,
    ...(create && {
      method: "POST",
      json: create.body,
      idempotencyKey: { header: "idempotency-key", value: create.idempotencyKey },
    }),
  });
  const found = parse(body.toString());
  if (status >= 300) {
    const refused = refusalOf(status, found, secrets);
    throw Object.assign(refused, { retryAfter: seconds(answer.headers["retry-after"]) });
  }
  if (typeof found !== "object" || found === null)
    throw new PaymentFailure("failed", redact(`HTTP ${status}, but no JSON object`, secrets), { isUnknown: true });
  return found as MollieAnswer;
}

const seconds = (header: string | undefined): number | null => (/^\d{1,6}$/.test(header ?? "") ? Number(header) : null);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether to retry a read: it was rejected temporarily or never arrived. A read that timed out is not repeated. */
const mayRepeat = (error: unknown): boolean => {
  if (error instanceof MollieRefusal) return error.status === 429 || error.status >= 500;
  return error instanceof ProviderFailure && error.kind === "unreachable";
};

const pauseOf = (error: unknown): number => {
  const wait = (error as { retryAfter?: number | null }).retryAfter ?? null;
  return wait === null ? FIRST_PAUSE : Math.min(wait * 1000, LONGEST_PAUSE);
};

/** Sends one call. Retries a read once on 429, 5xx or a broken connection, a creation never (money §11). @throws PaymentFailure */
export async function callMollie(access: PaymentAccess, call: MollieCall): Promise<MollieAnswer> {
  try {
    return await send(access, call).catch(async (error: unknown) => {
      if (call.create || !mayRepeat(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseOf(error)));
      return send(access, call);
    });
  } catch (error) {
    throw error instanceof ProviderFailure ? PaymentFailure.of(error) : error;
  }
}
