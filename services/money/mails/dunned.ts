/** Pauses of invoice `t` that hold on a day: of the invoice, or of its client. @param day SQL of the day */
export const pausesOn = (
  day: string,
): string => `dunning_pauses z where z.organisation_id = t.organisation_id and z.company_id = t.company_id
  and (z.invoice_id is null or z.invoice_id = t.id) and (z.until is null or z.until >= ${day}::date)`;

/** Condition for an invoice `t` that the schedule of reminders reaches on a day: dunning has not, and nothing pauses it (money §20). */
export const notDunned = (day: string): string => `not exists (select 1 from dunning_settings u
    where u.organisation_id = t.organisation_id and u.enabled and ${day}::date - t.due_date >= (u.levels -> 0 ->> 'days')::int)
  and not exists (select 1 from ${pausesOn(day)})`;
