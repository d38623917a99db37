/** Every domain event with the fields of its payload. An event that is not here cannot be recorded. */
export const events = {
  "company.created": "company_id, status, title, recipients: all assignees",
  "company.status_changed": "company_id, status, previous_status, from, to, title, recipients: all current assignees",
  "company.assigned": "company_id, title, recipients: only the people added",
} as const;

export type EventName = keyof typeof events;
export const isEvent = (name: string): name is EventName => Object.hasOwn(events, name);
