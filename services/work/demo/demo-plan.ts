/** A project of the demo organisation. */
export interface DemoProject {
  name: string;
  status: "active" | "on_hold" | "completed" | "archived";
  budget: readonly [hours: number, period: "total" | "monthly"] | null;
  /** Whether its hours are billed. */
  billable: boolean;
  color: string;
  tasks: readonly string[];
}

const WEBSITE = [
  "Kick-off en planning",
  "Sitemap en paginastructuur",
  "Schetsen van de homepage",
  "Ontwerp van de huisstijl",
  "Teksten aanleveren",
  "Techniek van het formulier",
  "Overzetten van de inhoud",
  "Testen op telefoon en tablet",
  "Livegang",
] as const;
const CARE = [
  "Updates van de site",
  "Snelheid nakijken",
  "Nieuwsbrief versturen",
  "Zoekwoorden bijhouden",
  "Rapport van de maand",
  "Kapotte links herstellen",
  "Back-up terugzetten als proef",
  "Foto's vervangen",
] as const;
const CAMPAIGN = [
  "Doelgroep bepalen",
  "Advertenties schrijven",
  "Landingspagina bouwen",
  "Beelden maken",
  "Budget verdelen",
  "Meten inrichten",
  "Eerste resultaten bespreken",
  "Bijsturen",
] as const;
const SHOP = [
  "Producten invoeren",
  "Betaalwijzen aansluiten",
  "Verzendkosten instellen",
  "Voorwaarden laten nalezen",
  "Retouren beschrijven",
  "Voorraad koppelen",
  "Testbestellingen doen",
  "Personeel uitleg geven",
  "Openen voor klanten",
] as const;

/** The projects of the demo organisation, covering every status; each belongs to the client at the same index. */
export const DEMO_PROJECTS: readonly DemoProject[] = [
  { name: "Nieuwe website", status: "active", budget: [120, "total"], billable: true, color: "sky", tasks: WEBSITE },
  { name: "Onderhoud", status: "active", budget: [10, "monthly"], billable: true, color: "emerald", tasks: CARE },
  { name: "Webwinkel", status: "active", budget: [200, "total"], billable: true, color: "violet", tasks: SHOP },
  { name: "Zomercampagne", status: "completed", budget: [60, "total"], billable: true, color: "amber", tasks: CAMPAIGN },
  { name: "Huisstijl en site", status: "active", budget: [90, "total"], billable: true, color: "rose", tasks: WEBSITE },
  { name: "Vindbaarheid", status: "active", budget: [16, "monthly"], billable: true, color: "teal", tasks: CARE },
  { name: "Vernieuwing webwinkel", status: "on_hold", budget: [150, "total"], billable: true, color: "orange", tasks: SHOP },
  { name: "Open dag", status: "archived", budget: [40, "total"], billable: true, color: "cyan", tasks: CAMPAIGN },
  { name: "Onderhoud en hulp", status: "active", budget: [8, "monthly"], billable: true, color: "lime", tasks: CARE },
  { name: "Website op maat", status: "active", budget: null, billable: true, color: "indigo", tasks: WEBSITE },
  { name: "Wervingscampagne", status: "active", budget: [75, "total"], billable: true, color: "pink", tasks: CAMPAIGN },
  { name: "Online bestellen", status: "on_hold", budget: [110, "total"], billable: true, color: "fuchsia", tasks: SHOP },
  { name: "Oude site", status: "completed", budget: [80, "total"], billable: true, color: "slate", tasks: WEBSITE },
  { name: "Site voor het goede doel", status: "active", budget: [50, "total"], billable: false, color: "red", tasks: CAMPAIGN },
];

/** The checklist of every fourth task. */
export const DEMO_CHECKLIST = [
  "Briefing gelezen",
  "Eerste opzet klaar",
  "Nagekeken door een collega",
  "Besproken met de klant",
] as const;

/** Comments of colleagues on tasks. */
export const DEMO_COMMENTS = [
  "De klant heeft de teksten aangeleverd, ik ga ermee verder.",
  "Kun jij hier **vandaag** nog naar kijken?",
  "Ziet er goed uit. Alleen de kleur van de knoppen nog.",
  "Wacht op antwoord; volgende week bel ik na.",
] as const;

/** Descriptions of time entries. */
export const DEMO_WORK = ["Ontwerp", "Bouw", "Overleg", "Teksten", "Testen", "Correcties"] as const;

/** Messages sent and received, chronological within a thread. */
export const DEMO_MAIL: readonly {
  /** Messages with the same number form one conversation. */
  thread: number;
  subject: string;
  text: string;
  isReply: boolean;
  /** Whether it awaits review by the mailbox's owner. */
  waits: boolean;
  age: number;
}[] = [
  {
    thread: 0,
    subject: "Offerte nieuwe website",
    text: "Dank voor de offerte, wij gaan akkoord.\nKunnen we in mei beginnen?",
    isReply: false,
    waits: false,
    age: 9,
  },
  {
    thread: 0,
    subject: "Re: Offerte nieuwe website",
    text: "Fijn! De eerste week van mei is gereserveerd.",
    isReply: true,
    waits: false,
    age: 8,
  },
  {
    thread: 1,
    subject: "Teksten voor de homepage",
    text: "In de bijlage de teksten; het kopje mag korter.",
    isReply: false,
    waits: false,
    age: 5,
  },
  {
    thread: 2,
    subject: "Vraag over de factuur",
    text: "Klopt het dat de hosting er nu apart op staat?",
    isReply: false,
    waits: true,
    age: 1,
  },
];
/** Contact moments: kind, subject, body. */
export const DEMO_MOMENTS = [
  ["call", "Vraag over de planning", "Belt over de **livegang**: liever een week later."],
  ["physical_meeting", "Kick-off", "Doelen en taken besproken. Foto's volgen."],
  ["online_meeting", "Voortgang", "Schermen doorlopen, twee aanpassingen afgesproken."],
  ["note", "Wensen voor later", "Wil in het najaar ook een nieuwsbrief."],
] as const;
