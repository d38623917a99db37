import { GREETING, type MailKind, type SmsKind } from "../../core/declare/messages.ts";

/** A text per kind of second-factor change (`FactorChange`). */
const changed = (texts: Readonly<Record<string, string>>): string =>
  `{% case change %}${Object.entries(texts)
    .map(([change, text]) => `{% when "${change}" %}${text}`)
    .join("")}{% endcase %}`;
const FACTOR_CHANGES = {
  nl: changed({
    on: "Het staat nu aan: bij het aanmelden wordt om een code gevraagd.",
    off: "Het staat nu uit: je meldt je aan met je wachtwoord alleen.",
    codes: "Je hebt nieuwe reservecodes; de oude werken niet meer.",
    phone: "Er is een telefoonnummer toegevoegd waarop je codes per sms krijgt.",
    "no-phone": "Er gaan geen codes per sms meer naar je telefoonnummer.",
  }),
  en: changed({
    on: "It is now on: signing in requires a code.",
    off: "It is off now: you sign in with your password alone.",
    codes: "You have new backup codes; the old ones no longer work.",
    phone: "A phone number was added that receives codes by text message.",
    "no-phone": "Codes are no longer sent to your phone number by text message.",
  }),
};

/** Mails about accounts. */
export const accountMails = {
  reset: {
    variables: [],
    overridable: true,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Stel een nieuw wachtwoord in voor {{ brand }}",
        body: [
          GREETING.nl,
          "Er is een nieuw wachtwoord aangevraagd voor je account bij {{ brand }}. Kies het via de link hieronder; die werkt één uur en één keer.",
          { button: "Nieuw wachtwoord kiezen" },
          "Heb je dit niet zelf aangevraagd? Dan hoef je niets te doen: je wachtwoord blijft zoals het is.",
        ],
      },
      en: {
        subject: "Choose a new password for {{ brand }}",
        body: [
          GREETING.en,
          "Someone asked for a new password for your account at {{ brand }}. Choose it with the link below; the link works once, within one hour.",
          { button: "Choose a new password" },
          "If that was not you, there is nothing you need to do: your password stays as it is.",
        ],
      },
    },
  },
  invite: {
    variables: [],
    overridable: true,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Je bent uitgenodigd voor {{ brand }}",
        body: [
          GREETING.nl,
          "{{ brand }} heeft een account voor je klaargezet. Kies een wachtwoord via de link hieronder, dan kun je meteen aan de slag.",
          { button: "Wachtwoord kiezen" },
          "De link werkt zeven dagen. Is hij verlopen, vraag {{ brand }} dan om een nieuwe uitnodiging.",
        ],
      },
      en: {
        subject: "You are invited to {{ brand }}",
        body: [
          GREETING.en,
          "{{ brand }} has set up an account for you. Choose a password with the link below and you can start right away.",
          { button: "Choose a password" },
          "The link works for seven days. If it has expired, ask {{ brand }} for a new invitation.",
        ],
      },
    },
  },
  verify: {
    variables: [],
    overridable: false,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Bevestig je e-mailadres voor {{ brand }}",
        body: [
          GREETING.nl,
          "Met de link hieronder bevestig je dat het e-mailadres van je account bij {{ brand }} van jou is. De link werkt één uur.",
          { button: "E-mailadres bevestigen" },
          "Heb je hier niet om gevraagd? Dan kun je dit bericht weggooien.",
        ],
      },
      en: {
        subject: "Confirm your e-mail address for {{ brand }}",
        body: [
          GREETING.en,
          "With the link below you confirm that the e-mail address of your account at {{ brand }} is yours. The link works for one hour.",
          { button: "Confirm the address" },
          "If you did not ask for this, you can throw this message away.",
        ],
      },
    },
  },
  "email-change": {
    variables: ["address"],
    overridable: false,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Je e-mailadres bij {{ brand }} is gewijzigd",
        body: [
          GREETING.nl,
          "Je meldt je bij {{ brand }} voortaan aan met {{ address }}. Op dit adres ontvang je geen berichten meer over je account.",
          "Heb je dit niet zelf gedaan? Neem dan meteen contact op met een beheerder van {{ brand }}.",
        ],
      },
      en: {
        subject: "Your e-mail address at {{ brand }} has changed",
        body: [
          GREETING.en,
          "From now on you sign in to {{ brand }} with {{ address }}. This address no longer receives messages about your account.",
          "If you did not do this yourself, contact an administrator of {{ brand }} at once.",
        ],
      },
    },
  },
  "password-change": {
    variables: [],
    overridable: false,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Je wachtwoord bij {{ brand }} is gewijzigd",
        body: [
          GREETING.nl,
          "Het wachtwoord van je account bij {{ brand }} is zojuist gewijzigd, en je bent op andere apparaten afgemeld.",
          "Heb je dit niet zelf gedaan? Kies dan meteen een nieuw wachtwoord op de aanmeldpagina, en neem contact op met een beheerder van {{ brand }}.",
        ],
      },
      en: {
        subject: "Your password at {{ brand }} has changed",
        body: [
          GREETING.en,
          "The password of your account at {{ brand }} has just been changed, and you have been signed out on other devices.",
          "If you did not do this yourself, choose a new password on the sign-in page at once, and contact an administrator of {{ brand }}.",
        ],
      },
    },
  },
  "second-factor-change": {
    variables: ["change"],
    overridable: false,
    opensAccount: true,
    texts: {
      nl: {
        subject: "Je tweestapsverificatie bij {{ brand }} is gewijzigd",
        body: [
          GREETING.nl,
          `Er is iets gewijzigd aan de tweestapsverificatie van je account bij {{ brand }}. ${FACTOR_CHANGES.nl}`,
          "Heb je dit niet zelf gedaan? Kies dan meteen een nieuw wachtwoord op de aanmeldpagina, en neem contact op met een beheerder van {{ brand }}.",
        ],
      },
      en: {
        subject: "Your two-step verification at {{ brand }} has changed",
        body: [
          GREETING.en,
          `Something has changed about the two-step verification of your account at {{ brand }}. ${FACTOR_CHANGES.en}`,
          "If you did not do this yourself, choose a new password on the sign-in page at once, and contact an administrator of {{ brand }}.",
        ],
      },
    },
  },
  "already-registered": {
    variables: [],
    overridable: false,
    texts: {
      nl: {
        subject: "Je hebt al een account bij {{ brand }}",
        body: [
          GREETING.nl,
          "Iemand wilde bij {{ brand }} een account aanmaken met dit e-mailadres, maar dat is er al. Er is niets gewijzigd.",
          { button: "Aanmelden" },
          "Weet je je wachtwoord niet meer? Op de aanmeldpagina kies je een nieuw.",
        ],
      },
      en: {
        subject: "You already have an account at {{ brand }}",
        body: [
          GREETING.en,
          "Someone tried to register at {{ brand }} with this e-mail address, but it already has an account. Nothing has changed.",
          { button: "Sign in" },
          "If you have forgotten your password, the sign-in page lets you choose a new one.",
        ],
      },
    },
  },
  "key-expiry": {
    variables: ["key_name", "expires_on"],
    overridable: false,
    texts: {
      nl: {
        subject: "Je API-sleutel “{{ key_name }}” verloopt op {{ expires_on.nl | default: expires_on }}",
        body: [
          GREETING.nl,
          "Je API-sleutel “{{ key_name }}” bij {{ brand }} werkt tot en met {{ expires_on.nl | default: expires_on }}. Wat hem gebruikt, krijgt daarna geen toegang meer.",
          "Maak op tijd een nieuwe sleutel aan en vervang de oude waar hij in gebruik is.",
        ],
      },
      en: {
        subject: "Your API key “{{ key_name }}” expires on {{ expires_on.en | default: expires_on }}",
        body: [
          GREETING.en,
          "Your API key “{{ key_name }}” at {{ brand }} works through {{ expires_on.en | default: expires_on }}. After that, everything that uses it loses access.",
          "Make a new key in time and replace the old one wherever it is in use.",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

/** Text messages for sign-in. A code is valid for 10 minutes (access §2.1). */
export const accountSms = {
  second_factor: {
    worthSending: 600_000,
    texts: {
      nl: ({ brand, code }) => `Je code voor ${brand}, 10 minuten geldig. Deel hem met niemand: ${code}`,
      en: ({ brand, code }) => `Your code for ${brand}, valid for 10 minutes. Do not share it: ${code}`,
    },
  },
} as const satisfies Record<string, SmsKind>;

declare module "../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof accountMails, true> {}
  interface SmsKinds extends Record<keyof typeof accountSms, true> {}
}
