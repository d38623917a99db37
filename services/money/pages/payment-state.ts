/** Seconds before the browser reloads; the provider is asked at most once every five (money §11). */
const PAUSE = 6;
/** Maximum automatic reloads of a page: five minutes. */
const MOST_ROUNDS = 50;

/** The newest attempt to pay an invoice. */
export interface Payment {
  /** The provider's status; null without an attempt. */
  status: string | null;
  settled: boolean;
  invoiceStatus: string;
}

/** The payment message on a page, by the name of its text, and the next reload. */
export interface PaymentNews {
  text: "arrived" | "processing" | "pending" | "waiting" | "failed" | "canceled" | "expired" | "underway" | null;
  isBad: boolean;
  /** The delay in seconds, and the number of the next round. */
  refresh: { seconds: number; round: number } | null;
}

const UNDER_WAY = new Set(["open", "pending", "authorized"]);
const FAILED = ["failed", "canceled", "expired"] as const;

/** Whether the provider's status can still change (money §11). */
export const isUnderWay = ({ status }: Payment): boolean => status !== null && UNDER_WAY.has(status);

/**
 * The message about the newest payment (money §11, §12).
 * @param round how often the page has reloaded since the checkout; null if the payer does not come from one
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

/** The round in a page's query; null unless the payer returns from a checkout; 0 for a value that is not a number. */
export const roundOf = ({
  return: back,
  round = "",
}: {
  return?: string | undefined;
  round?: string | undefined;
}): number | null => (back === undefined ? null : /^\d{1,3}$/.test(round) ? Number(round) : 0);
