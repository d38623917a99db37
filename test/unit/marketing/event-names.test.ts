import { expect } from "chai";
import { readableEvent } from "../../../integrations/marketing/report-sections/event-names.ts";

describe("the readable form of an event's name (workspace-reporting §1.6)", () => {
  const rows: [raw: string, readable: string][] = [
    ["generate_lead", "Generate lead"],
    ["purchase", "Purchase"],
    ["form-submit", "Form submit"],
    ["appointmentBooked", "Appointment booked"],
    ["PDF_download", "PDF download"],
    ["step2_done", "Step2 done"],
    ["__form__", "__form__"],
    ["Offerte aangevraagd", "Offerte aangevraagd"],
    ["(not set)", "(not set)"],
    ["école_inscription", "École inscription"],
    ["", ""],
  ];
  for (const [raw, readable] of rows) it(`is "${readable}" for "${raw}"`, () => expect(readableEvent(raw)).to.equal(readable));
});
