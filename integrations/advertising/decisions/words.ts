import { normalised } from "../policy/terms.ts";

export const SUBJECT_TYPES = ["search_term", "keyword", "campaign", "ad_group", "budget", "ad"] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const DECISIONS = [
  "excluded",
  "kept",
  "added",
  "removed",
  "paused",
  "enabled",
  "created",
  "budget_changed",
  "bid_changed",
] as const;
export type DecisionWord = (typeof DECISIONS)[number];

/** What a decision is about: the account as a whole, or one object of it. */
export const SCOPE = /^(account|(campaign|ad_group|shared_set):[0-9]{1,32})$/;

/** A subject as it is compared: case and spaces do not tell two apart. */
export const subjectKey = (subject: string): string => normalised(subject);
