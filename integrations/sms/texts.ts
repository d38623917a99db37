import type { Locale } from "../../core/config/defaults.ts";
import type { SmsKind } from "../../core/mail/sms.ts";

/** What a text message may say. */
export interface SmsValues {
  brand: string;
  code: string;
}

/** What the service writes itself, by kind and language. The code comes last, where phones look for it. */
export const texts: Record<SmsKind, Record<Locale, (values: SmsValues) => string>> = {
  second_factor: {
    nl: ({ brand, code }) => `Je code voor ${brand}, 10 minuten geldig. Deel hem met niemand: ${code}`,
    en: ({ brand, code }) => `Your code for ${brand}, valid for 10 minutes. Share it with nobody: ${code}`,
  },
};

/** How long a message is worth sending, in milliseconds: a code lives 10 minutes (access §2.1). */
export const worthSending: Record<SmsKind, number> = { second_factor: 600_000 };
