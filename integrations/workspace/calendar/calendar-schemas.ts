import { answer, nullable, Type } from "../../../core/schema/schema.ts";

const day = (description: string) => Type.String({ format: "date", description });
const moment = (description: string) => nullable(Type.String({ format: "date-time", description }));

/** An event of the caller's own calendar (workspace §2.3). */
export const CalendarFeedItem = answer("CalendarFeedItem", {
  id: Type.String({ description: "The event's id at Google; each instance of a series has its own" }),
  title: Type.String({ description: "Its title; `HH:MM title` for an event with a time, in the organisation's zone" }),
  start: day("First day, in the organisation's zone"),
  end: day("Last day, inclusive; an event that ends exactly at midnight ends on the day before"),
  all_day: Type.Boolean({ description: "Whether it lasts whole days" }),
  starts_at: moment("When it starts, in UTC; null for whole days"),
  ends_at: moment("When it ends, in UTC; null for whole days"),
  html_link: nullable(Type.String({ description: "Address of the event at Google; null if Google returned none" })),
  free: Type.Boolean({ default: false, description: "Whether its owner is free during it" }),
  tentative: Type.Boolean({ default: false, description: "Whether it is not yet confirmed" }),
  cancelled: Type.Boolean({ default: false, description: "Whether it was cancelled and is still shown" }),
});
