import { expect } from "chai";
import { invitationText } from "../../../services/work/interactions/messages/invitation.ts";
import { readHeaderDate, sentAt } from "../../../services/work/interactions/messages/message-date.ts";

const iso = (text: string) => {
  const at = readHeaderDate(text);
  return at === null ? null : new Date(at).toISOString().replace(".000Z", "Z");
};

describe("the date of a message (contact moments §3, RFC 5322)", () => {
  const dates: [string, string | null][] = [
    ["Mon, 2 Mar 2026 10:15:00 +0100", "2026-03-02T09:15:00Z"],
    ["2 Mar 2026 10:15 -0530", "2026-03-02T15:45:00Z"],
    ["Mon, 02 Mar 26 10:15:00 GMT", "2026-03-02T10:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 EST", "2026-03-02T15:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 +0100 (CET)", "2026-03-02T09:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00", "2026-03-02T10:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 XYZ", "2026-03-02T10:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 A", "2026-03-02T10:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 -0000", "2026-03-02T10:15:00Z"],
    ["Mon, 2 Mar 2026 10:15:00 +9999", "2026-03-02T10:15:00Z"],
    ["Mon, 2 March 2026 23:59:60 +0000", "2026-03-02T23:59:59Z"],
    ["2026-03-02T10:15:00+01:00", "2026-03-02T09:15:00Z"],
    ["2026-03-02 10:15:00", "2026-03-02T10:15:00Z"],
    ["Mon, 31 Feb 2026 10:15:00 +0100", null],
    ["Mon, 2 Mar 2026 25:15:00 +0100", null],
    ["Mon, 2 Foo 2026 10:15:00 +0100", null],
    ["yesterday", null],
    ["", null],
  ];
  for (const [text, at] of dates) it(`reads ‘${text}’ as ${at}`, () => expect(iso(text)).to.equal(at));

  it("is the newest Received if the Date is missing, impossible or more than two days ahead", () => {
    const now = Date.parse("2026-03-10T12:00:00Z");
    const received = [
      "from a by b; Mon, 2 Mar 2026 10:00:00 +0000",
      "from c by d with ESMTP id 1; Mon, 2 Mar 2026 11:00:00 +0000 (UTC)",
      "from e by f; Mon, 30 Mar 2026 11:00:00 +0000",
      "from g by h",
    ];
    for (const date of [undefined, "yesterday", "Fri, 13 Mar 2026 12:00:01 +0000"])
      expect(sentAt(date, received, now)).to.equal("2026-03-02T11:00:00.000Z");
    expect(sentAt("Thu, 12 Mar 2026 12:00:00 +0000", received, now)).to.equal("2026-03-12T12:00:00.000Z");
    expect(sentAt("yesterday", [], now)).to.equal(null);
    expect(sentAt(undefined, received.slice(2), now)).to.equal(null);
  });
});

describe("the text of an invitation (contact moments §3, RFC 5545)", () => {
  const calendar = (...lines: string[]) =>
    [
      "BEGIN:VCALENDAR",
      "BEGIN:VTIMEZONE",
      "TZID:x",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      ...lines,
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");

  it("has its title, time, place and organiser, a line each", () => {
    const text = calendar(
      "SUMMARY:Kick-off\\, new",
      "  site",
      "DTSTART;TZID=Europe/Amsterdam:20260302T100000",
      "DTEND;TZID=Europe/Amsterdam:20260302T110000",
      "LOCATION:Room 1\\; first floor",
      'ORGANIZER;CN="Ann: Client":mailto:ann@client.example',
      "BEGIN:VALARM",
      "SUMMARY:Alarm",
      "END:VALARM",
    );
    expect(invitationText(text).split("\n")).to.deep.equal([
      "Kick-off, new site",
      "2026-03-02 10:00 Europe/Amsterdam – 2026-03-02 11:00 Europe/Amsterdam",
      "Room 1; first floor",
      "Ann: Client <ann@client.example>",
    ]);
  });

  const durations: [start: string, duration: string, when: string][] = [
    ["DTSTART:20260302T233000Z", "DURATION:PT1H30M", "2026-03-02 23:30 UTC – 2026-03-03 01:00 UTC"],
    [
      "DTSTART;TZID=Europe/Amsterdam:20260302T100000",
      "DURATION:+PT45M0S",
      "2026-03-02 10:00 Europe/Amsterdam – 2026-03-02 10:45 Europe/Amsterdam",
    ],
    ["DTSTART;VALUE=DATE:20260227", "DURATION:P3D", "2026-02-27 – 2026-03-02"],
    ["DTSTART;VALUE=DATE:20260302", "DURATION:P1W", "2026-03-02 – 2026-03-09"],
    ["DTSTART:20260302T100000Z", "DURATION:P1DT2H", "2026-03-02 10:00 UTC – 2026-03-03 12:00 UTC"],
    ["DTSTART:20260302T100000Z", "DURATION:-PT1H", "2026-03-02 10:00 UTC"],
    ["DTSTART:20260302T100000Z", "DURATION:PT", "2026-03-02 10:00 UTC"],
    ["DTSTART:20260302T100000Z", "DURATION:P", "2026-03-02 10:00 UTC"],
    ["DTSTART:20260302T100000Z", "DURATION:1 hour", "2026-03-02 10:00 UTC"],
  ];
  for (const [start, duration, when] of durations)
    it(`ends after ${duration} from ${start} (RFC 5545 §3.3.6)`, () =>
      expect(invitationText(calendar(start, duration))).to.equal(when));

  it("ends when its end says, whatever its duration", () => {
    const text = calendar("DTSTART:20260302T100000Z", "DURATION:PT1H", "DTEND:20260302T120000Z");
    expect(invitationText(text)).to.equal("2026-03-02 10:00 UTC – 2026-03-02 12:00 UTC");
  });

  it("has what there is: whole days, UTC, no place; nothing without an event", () => {
    expect(invitationText(calendar("SUMMARY:Fair", "DTSTART;VALUE=DATE:20260302"))).to.equal("Fair\n2026-03-02");
    expect(invitationText(calendar("DTSTART:20260302T100000Z", "ORGANIZER:mailto:a@b.nl"))).to.equal(
      "2026-03-02 10:00 UTC\na@b.nl",
    );
    expect(invitationText("BEGIN:VCALENDAR\nEND:VCALENDAR")).to.equal("");
    expect(invitationText("")).to.equal("");
  });
});
