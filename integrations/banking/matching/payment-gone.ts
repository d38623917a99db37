import type { Hook } from "../../../core/declare/hooks.ts";
import { openAgain } from "./booking.ts";

/** Runs when a payment is deleted: the part of the entry that it booked is open again. */
export const openEntry: Hook<"invoice.payment_removed"> = async ({ payment_id }) => {
  await openAgain(payment_id);
};
