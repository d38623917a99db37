import type { Locale } from "../../../core/config/defaults.ts";

/** The parts of a tone that prose is written with. */
export interface ToneTexts {
  name: string;
  description: string | null;
  instructions: string;
  banned_phrases: readonly string[];
  preferred_phrases: readonly string[];
}

/** The key of an organisation's initial tone. */
export const HOUSE_KEY = "standard";

/** The initial tone of an organisation, by language (workspace-reporting §1.1). */
export const HOUSE_TONE: Readonly<Record<Locale, ToneTexts>> = {
  nl: {
    name: "Standaard",
    description: "Helder en persoonlijk, zonder jargon.",
    instructions: `Schrijf in het Nederlands, in de u-vorm en namens het bureau ("wij").
Begin met wat voor de klant het belangrijkst is, daarna de verklaring, dan wat wij gaan doen.
Korte zinnen, gewone woorden; leg een vakterm uit bij het eerste gebruik.
Noem alleen cijfers die in de gegevens staan, en noem een daling net zo eerlijk als een stijging.
Trek geen conclusie over een oorzaak die niet uit de cijfers blijkt.
Beloof geen resultaten.`,
    banned_phrases: ["gegarandeerd", "explosieve groei", "ongekend", "game changer", "in het huidige digitale landschap"],
    preferred_phrases: ["ten opzichte van", "dat komt door", "wij raden aan", "de komende maand"],
  },
  en: {
    name: "Standard",
    description: "Clear and personal, without jargon.",
    instructions: `Write in plain English, addressing the client as "you" and the agency as "we".
Begin with what matters most to the client, then the explanation, then what we will do.
Short sentences, ordinary words; explain a technical term where it first appears.
Mention only figures that are in the data, and report a fall as honestly as a rise.
Do not claim a cause that the figures do not show.
Promise no results.`,
    banned_phrases: ["guaranteed", "skyrocketing", "unprecedented", "game changer", "in today's digital landscape"],
    preferred_phrases: ["compared with", "this is because", "we recommend", "in the coming month"],
  },
};
