import { mollie } from "./mollie/mollie.ts";
import type { PaymentProvider } from "./provider.ts";

const providers = new Map<string, PaymentProvider>();

/** Registers a provider. @returns a function that removes it again */
export function addPaymentProvider(provider: PaymentProvider): () => void {
  providers.set(provider.key, provider);
  return () => void providers.delete(provider.key);
}

for (const provider of [mollie]) addPaymentProvider(provider);

/** The provider with that key, or undefined. */
export const findPaymentProvider = (key: string): PaymentProvider | undefined => providers.get(key);
