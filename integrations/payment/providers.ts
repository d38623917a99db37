import { mollie } from "./mollie.ts";
import type { PaymentProvider } from "./provider.ts";

const providers = new Map<string, PaymentProvider>();

/** Adds a provider to those an account may be at. @returns takes it away again */
export function addPaymentProvider(provider: PaymentProvider): () => void {
  providers.set(provider.key, provider);
  return () => void providers.delete(provider.key);
}

for (const provider of [mollie]) addPaymentProvider(provider);

/** The provider of that name, or undefined. */
export const findPaymentProvider = (key: string): PaymentProvider | undefined => providers.get(key);
