/** How long a browser waits before it looks again, in seconds: the provider is asked once in five (money §11). */
const PAUSE = 6;
/** How often a page looks again by itself: five minutes. */
const MOST_ROUNDS = 50;

/** The newest attempt to pay an invoice. */
export interface Payment {
  /** The provider's word; null where there is no attempt. */
  status: string | null;
  settled: boolean;
  invoiceStatus: string;
}

/** What a page tells of a payment, by the name of its text, and when it looks again. */
export interface PaymentNews {
  text: "arrived" | "processing" | "pending" | "waiting" | "failed" | "canceled" | "expired" | "underway" | null;
  isBad: boolean;
  /** After how many seconds, and the number of that round. */
  refresh: { seconds: number; round: number } | null;
}

const UNDER_WAY = new Set(["open", "pending", "authorized"]);
const FAILED = ["failed", "canceled", "expired"] as const;

/** True while the provider may still change its word (money §11). */
export const isUnderWay = ({ status }: Payment): boolean => status !== null && UNDER_WAY.has(status);

/**
 * What there is to tell of the newest payment (money §11, §12).
 * @param round how often the payer's browser has looked again since it came back from the checkout; null where it does not come from there
 */
export function paymentNews(payment: Payment, round: number | null): PaymentNews {
  const news = (text: PaymentNews["text"], isBad = false): PaymentNews => ({ text, isBad, refresh: null });
  if (round === null) return news(isUnderWay(payment) && payment.invoiceStatus === "open" ? "underway" : null);
  if (payment.settled || payment.invoiceStatus === "paid") return news("arrived");
  if (payment.status === "paid") return news("processing");
  if (isUnderWay(payment))
    return round < MOST_ROUNDS ? { ...news("pending"), refresh: { seconds: PAUSE, round: round + 1 } } : news("waiting");
  return news(FAILED.find((status) => status === payment.status) ?? null, true);
}

/** The round in the query of a page, null where the payer does not come back from a checkout; what is no number is the first. */
export const roundOf = ({
  return: back,
  round = "",
}: {
  return?: string | undefined;
  round?: string | undefined;
}): number | null => (back === undefined ? null : /^\d{1,3}$/.test(round) ? Number(round) : 0);
