import { expect } from "chai";
import { events, isEvent } from "../../../core/declare/catalogue/catalogue.ts";
import { messageText } from "../../../core/providers/channels/wording.ts";
import { EVENTS_OF_INTEREST } from "../../../services/notifications/preferences/event-kinds.ts";
import { pathOf } from "../../../services/notifications/wording/messages.ts";
import { sentence, WORDED } from "../../../services/notifications/wording/words.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const reported = (event_type: string, payload: object, actor_name: string | null = "Anna") => ({
  event_type,
  actor_name,
  payload: payload as Record<string, unknown>,
});

describe("the words of notifications outside of the service", () => {
  it("exist for every event with a notification", () => {
    expect([...WORDED].toSorted()).to.deep.equal(Object.keys(EVENTS_OF_INTEREST).toSorted());
  });

  it("state only their events' content", () => {
    prepareRuntime();
    // Nothing is known of those that no module records yet.
    for (const event_type of WORDED.filter(isEvent)) {
      const asked = new Set<string>();
      const payload = new Proxy({}, { get: (_, name) => asked.add(String(name)) });
      for (const locale of ["nl", "en"] as const) sentence(reported(event_type, payload), locale);
      expect(Object.keys(events()[event_type]?.payload.properties ?? {}), event_type).to.include.members([...asked]);
    }
  });

  it("write every date in words of the language, never as ISO", () => {
    const payload = new Proxy({}, { get: (_, name) => (/_date$|week_start/.test(String(name)) ? "2026-05-14" : "x") });
    for (const event_type of WORDED)
      for (const [locale, words] of [
        ["nl", "14 mei 2026"],
        ["en", "14 May 2026"],
      ] as const) {
        const said = sentence(reported(event_type, payload), locale);
        expect(said, event_type).not.to.contain("2026-05-14");
        if (said.includes("2026")) expect(said).to.contain(words);
      }
  });

  const examples: [event: ReturnType<typeof reported>, nl: string, en: string][] = [
    [reported("task.assigned", { title: "Letter" }), "Anna gaf je de taak ‘Letter’", "Anna assigned you the task ‘Letter’"],
    [
      reported("company.status_changed", { title: "Acme", from: "lead", to: "active" }, null),
      "Het systeem zette de klant Acme van lead op active",
      "The system moved the client Acme from lead to active",
    ],
    ...(
      [
        ["0", "vandaag", "today"],
        ["1", "morgen", "tomorrow"],
        ["3", "over 3 dagen", "in 3 days"],
      ] as const
    ).map(([days_left, nl, en]): [ReturnType<typeof reported>, string, string] => [
      reported("task.due_soon", { title: "Letter", days_left: Number(days_left), due_date: "2026-05-14" }, null),
      `De taak ‘Letter’ moet ${nl} klaar zijn (14 mei 2026)`,
      `The task ‘Letter’ is due ${en} (14 May 2026)`,
    ]),
    [
      reported("leave.approved", { start_date: "2026-12-28", end_date: "2027-01-02" }),
      "Anna keurde je verlof van 28 december 2026 tot en met 2 januari 2027 goed",
      "Anna approved your leave from 28 December 2026 to 2 January 2027",
    ],
    [
      reported("time.timesheet_reminder", { week_start: "2026-03-02" }, null),
      "Je schreef geen uren in de week van 2 maart 2026",
      "You wrote no hours in the week of 2 March 2026",
    ],
    [reported("time.entry_approved", { count: 1 }), "Anna keurde 1 urenregel van je goed", "Anna approved 1 time entry of yours"],
    [
      reported("time.entry_approved", { count: 2 }),
      "Anna keurde 2 urenregels van je goed",
      "Anna approved 2 time entries of yours",
    ],
    [reported("automation.notify", { message: "Look\nhere" }), "Look here", "Look here"],
    [
      reported("workspace.connection_broken", { email: "ann@example.com" }, null),
      "De koppeling met ann@example.com werkt niet meer: koppel je account opnieuw",
      "The connection with ann@example.com no longer works: connect your account again",
    ],
    [
      reported("workspace.mail_gap", { email: "ann@example.com", gap_day: "2026-03-01" }, null),
      "Mail van ann@example.com ontbreekt mogelijk vanaf 1 maart 2026",
      "Mail of ann@example.com may be missing from 1 March 2026",
    ],
    [
      reported("interactions.email_pending", { title: "Offer", count: 12 }, null),
      "12 nieuwe berichten wachten op je beoordeling",
      "12 new messages wait for your review",
    ],
    [
      reported("workspace.event_restored", { title: "Leave" }, null),
      "‘Leave’ in je agenda is teruggezet: de afspraak volgt uit je verlof of planning",
      "‘Leave’ in your calendar was put back: it follows from your leave or planning",
    ],
    [
      reported("task.left_unassigned", { title: "Letter" }, null),
      "De taak ‘Letter’ heeft geen uitvoerder: wie die zou krijgen, is niet meer actief",
      "The task ‘Letter’ has no assignee: who would have got it is no longer active",
    ],
    [
      reported("project.left_unassigned", { title: "Website" }, null),
      "Het project ‘Website’ heeft geen team: wie het zou krijgen, is niet meer actief",
      "The project ‘Website’ has no team: who would have got it is no longer active",
    ],
    [reported("uptime.monitor.down", { title: "Shop" }, null), "‘Shop’ is niet bereikbaar", "‘Shop’ is down"],
    [
      reported("uptime.monitor.up", { title: "Shop", minutes: 12 }, null),
      "‘Shop’ is weer bereikbaar, na 12 minuten",
      "‘Shop’ is up again, after 12 minutes",
    ],
    [
      reported("uptime.monitor.up", { title: "Shop", minutes: 1 }, null),
      "‘Shop’ is weer bereikbaar, na 1 minuut",
      "‘Shop’ is up again, after 1 minute",
    ],
    [
      reported("uptime.monitor.up", { title: "Shop", minutes: 0 }, null),
      "‘Shop’ is weer bereikbaar, na minder dan een minuut",
      "‘Shop’ is up again, after less than a minute",
    ],
    [
      reported("uptime.monitor.flapping", { title: "Shop" }, null),
      "‘Shop’ valt telkens weg: je krijgt pas weer bericht als er een kwartier niets verandert",
      "‘Shop’ keeps going down and up: no more notifications until nothing changes for 15 minutes",
    ],
    [
      reported("uptime.instance.unreachable", { title: "Kuma", status: "error" }, null),
      "De uptimeserver ‘Kuma’ is niet te lezen: storingen blijven mogelijk ongemeld",
      "The uptime server ‘Kuma’ cannot be read: outages may go unreported",
    ],
    [
      reported("uptime.instance.unreachable", { title: "Kuma", status: "needs_reauth" }, null),
      "De uptimeserver ‘Kuma’ weigert de aanmelding: meld hem opnieuw aan",
      "The uptime server ‘Kuma’ refuses the sign-in: sign in again",
    ],
    [
      reported("report.failed", { title: "Rapportage · Vela" }, null),
      "De rapportage ‘Rapportage · Vela’ kon niet worden gemaakt",
      "The report ‘Rapportage · Vela’ could not be made",
    ],
    [
      reported("report.held", { title: "Rapportage · Vela" }, null),
      "De rapportage ‘Rapportage · Vela’ is niet verstuurd: een onderdeel mist cijfers",
      "The report ‘Rapportage · Vela’ was not sent: a section lacks figures",
    ],
    [reported("something.new", {}), "something.new", "something.new"],
  ];
  for (const [event, nl, en] of examples)
    it(`say '${en}'`, () => expect([sentence(event, "nl"), sentence(event, "en")]).to.deep.equal([nl, en]));

  it("are never longer than 500 characters", () => {
    expect(sentence(reported("task.commented", { title: "x", excerpt: "y".repeat(2000) }), "en")).to.have.length(500);
  });

  it("lead to the record, or to the inbox", () => {
    expect(pathOf({ entity_type: "task", entity_id: "1" })).to.equal("/tasks/1");
    expect(pathOf({ entity_type: "workspace_connection", entity_id: "1" })).to.equal("/settings/account");
    expect(pathOf({ entity_type: "planet", entity_id: "1" })).to.equal("/notifications");
  });

  it("are cut to a provider's limit, and state how much is left", () => {
    const about = { event_type: "x", entity_type: "task", entity_id: "1", occurred_at: "2026-05-14T00:00:00Z" };
    const items = Array.from({ length: 50 }, (_, n) => ({ text: `Thing ${n}`, link: "https://a.example/1", ...about }));
    const message = { id: "1", locale: "en" as const, title: "50 notifications", items, link: "https://a.example" };
    const text = messageText(message, 200);
    expect(text.length).to.be.at.most(200);
    const shown = text.match(/Thing/g)?.length ?? 0;
    expect(text).to.match(new RegExp(`^50 notifications\\n\\nThing 0[^]*… and ${50 - shown} more$`));
    expect(messageText({ ...message, items: items.slice(0, 1) }, 200)).to.equal("Thing 0\nhttps://a.example/1");
  });
});
