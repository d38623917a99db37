/** The result of parsing words that mention no work at all (platform §1.4). */
export const NOTHING_HEARD = {
  date: null,
  start: null,
  end: null,
  duration_minutes: null,
  company_id: null,
  project_id: null,
  task_id: null,
  description: null,
  entry_type_key: null,
  billable: null,
  break_minutes: null,
};
