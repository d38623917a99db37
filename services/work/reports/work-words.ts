import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportColumn, ReportValueKind } from "../../../core/declare/report-sections.ts";

type Words = Readonly<Record<Locale, string>>;

/** The labels of the section's figures. */
export const LABELS = {
  tasks: { nl: "Afgeronde taken", en: "Finished tasks" },
  hours: { nl: "Uren", en: "Hours" },
} satisfies Record<string, Words>;

/** The headings of the section's parts, and the name of hours without a project. */
export const HEADINGS = {
  hours: { nl: "Uren per project", en: "Hours by project" },
  next: { nl: "Volgende stappen", en: "Next steps" },
  without_project: { nl: "Zonder project", en: "Without a project" },
} satisfies Record<string, Words>;

const COLUMNS = {
  task: { nl: "Taak", en: "Task" },
  project: { nl: "Project", en: "Project" },
  finished: { nl: "Afgerond op", en: "Finished on" },
  due: { nl: "Gepland voor", en: "Due on" },
  hours: { nl: "Uren", en: "Hours" },
} satisfies Record<string, Words>;

/** A column of the section's tables, with its heading. */
export const column = (key: keyof typeof COLUMNS, kind: ReportValueKind): ReportColumn => ({ key, label: COLUMNS[key], kind });
