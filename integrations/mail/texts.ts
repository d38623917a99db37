import type { Locale } from "../../core/config/defaults.ts";
import type { MailKindName } from "../../core/mail/mail-kinds.ts";

/** A built-in text: Liquid, one entry per paragraph; a button stands for the mail's link. */
export interface BuiltIn {
  subject: string;
  body: readonly (string | { button: string })[];
}

const HELLO = { nl: "Hallo{% if name %} {{ name }}{% endif %},", en: "Hello{% if name %} {{ name }}{% endif %}," };

/** What the service writes itself, by kind and language. */
export const texts: Record<MailKindName, Record<Locale, BuiltIn>> = {
  reset: {
    nl: {
      subject: "Stel een nieuw wachtwoord in voor {{ brand }}",
      body: [
        HELLO.nl,
        "Er is een nieuw wachtwoord aangevraagd voor je account bij {{ brand }}. Kies het via de link hieronder; die werkt één uur en één keer.",
        { button: "Nieuw wachtwoord kiezen" },
        "Heb je dit niet zelf aangevraagd? Dan hoef je niets te doen: je wachtwoord blijft zoals het is.",
      ],
    },
    en: {
      subject: "Choose a new password for {{ brand }}",
      body: [
        HELLO.en,
        "Somebody asked for a new password for your account at {{ brand }}. Choose it with the link below; it works for one hour, and once.",
        { button: "Choose a new password" },
        "If that was not you, there is nothing you need to do: your password stays as it is.",
      ],
    },
  },
  invite: {
    nl: {
      subject: "Je bent uitgenodigd voor {{ brand }}",
      body: [
        HELLO.nl,
        "{{ brand }} heeft een account voor je klaargezet. Kies een wachtwoord via de link hieronder, dan kun je meteen aan de slag.",
        { button: "Wachtwoord kiezen" },
        "De link werkt zeven dagen. Is hij verlopen, vraag {{ brand }} dan om een nieuwe uitnodiging.",
      ],
    },
    en: {
      subject: "You are invited to {{ brand }}",
      body: [
        HELLO.en,
        "{{ brand }} has set up an account for you. Choose a password with the link below and you can start right away.",
        { button: "Choose a password" },
        "The link works for seven days. If it has expired, ask {{ brand }} for a new invitation.",
      ],
    },
  },
  verify: {
    nl: {
      subject: "Bevestig je e-mailadres voor {{ brand }}",
      body: [
        HELLO.nl,
        "Met de link hieronder bevestig je dat het e-mailadres van je account bij {{ brand }} van jou is. De link werkt één uur.",
        { button: "E-mailadres bevestigen" },
        "Heb je hier niet om gevraagd? Dan kun je dit bericht weggooien.",
      ],
    },
    en: {
      subject: "Confirm your e-mail address for {{ brand }}",
      body: [
        HELLO.en,
        "With the link below you confirm that the e-mail address of your account at {{ brand }} is yours. The link works for one hour.",
        { button: "Confirm the address" },
        "If you did not ask for this, you can throw this message away.",
      ],
    },
  },
  "email-change": {
    nl: {
      subject: "Je e-mailadres bij {{ brand }} is gewijzigd",
      body: [
        HELLO.nl,
        "Je meldt je bij {{ brand }} voortaan aan met {{ address }}. Op dit adres ontvang je geen berichten meer over je account.",
        "Heb je dit niet zelf gedaan? Neem dan meteen contact op met een beheerder van {{ brand }}.",
      ],
    },
    en: {
      subject: "Your e-mail address at {{ brand }} has changed",
      body: [
        HELLO.en,
        "From now on you sign in to {{ brand }} with {{ address }}. This address no longer receives messages about your account.",
        "If you did not do this yourself, contact an administrator of {{ brand }} at once.",
      ],
    },
  },
  "already-registered": {
    nl: {
      subject: "Je hebt al een account bij {{ brand }}",
      body: [
        HELLO.nl,
        "Iemand wilde bij {{ brand }} een account aanmaken met dit e-mailadres, maar dat is er al. Er is niets gewijzigd.",
        { button: "Aanmelden" },
        "Weet je je wachtwoord niet meer? Op de aanmeldpagina kies je een nieuw.",
      ],
    },
    en: {
      subject: "You already have an account at {{ brand }}",
      body: [
        HELLO.en,
        "Somebody tried to register at {{ brand }} with this e-mail address, but there is an account already. Nothing has changed.",
        { button: "Sign in" },
        "If you have forgotten your password, the sign-in page lets you choose a new one.",
      ],
    },
  },
  "key-expiry": {
    nl: {
      subject: "Je API-sleutel “{{ key_name }}” verloopt op {{ expires_on }}",
      body: [
        HELLO.nl,
        "Je API-sleutel “{{ key_name }}” bij {{ brand }} werkt tot en met {{ expires_on }}. Wat hem gebruikt, krijgt daarna geen toegang meer.",
        "Maak op tijd een nieuwe sleutel aan en vervang de oude waar hij in gebruik is.",
      ],
    },
    en: {
      subject: "Your API key “{{ key_name }}” expires on {{ expires_on }}",
      body: [
        HELLO.en,
        "Your API key “{{ key_name }}” at {{ brand }} works until {{ expires_on }}. After that, whatever uses it loses access.",
        "Make a new key in time and replace the old one wherever it is in use.",
      ],
    },
  },
  test: {
    nl: {
      subject: "Testbericht van {{ brand }}",
      body: [HELLO.nl, "Dit is een testbericht. Dat je het leest, betekent dat {{ brand }} e-mail kan versturen."],
    },
    en: {
      subject: "Test message from {{ brand }}",
      body: [HELLO.en, "This is a test message. That you are reading it means that {{ brand }} can send e-mail."],
    },
  },
};
