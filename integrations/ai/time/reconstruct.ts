import { dayBounds, type IsoDate } from "../../../core/calendar/calendar.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Ask, MeteredQuestion } from "../gate/gate.ts";
import { submission } from "../gate/submission.ts";
import type { ToolSpec } from "../providers/provider.ts";
import { asData, DATA_RULE } from "../texts/untrusted.ts";
import { type Ground, groundedSuggestions, type Suggestion } from "./grounding.ts";

/** A person's activity on a day: logged minutes and touched tasks. */
export interface DayDone {
  logged_minutes: number;
  touched: readonly {
    task_id: string;
    title: string;
    company_id: string | null;
    company: string | null;
    project_id: string | null;
    project: string | null;
  }[];
}

// Hours count on their own day (work §4.1). The trail shows who touched a task, by days in the organisation's zone.
const DONE = statement(`select
    (select coalesce(sum(e.minutes), 0)::float8 from time_entries e where e.organisation_id = $1 and e.user_id = $2
      and e.work_date = $3::date and e.started_at > $5::timestamptz - interval '2 days' and e.started_at < $6::timestamptz + interval '2 days')
      as logged_minutes,
    (select coalesce(json_agg(json_build_object('task_id', t.id, 'title', t.title, 'company_id', t.company_id, 'company', c.name,
        'project_id', t.project_id, 'project', p.name) order by x.last desc), '[]')
       from (select a.entity_id, max(a.created_at) as last from activity a where a.organisation_id = $1 and a.entity_type = 'task'
               and a.actor_account_id = $2 and a.created_at >= $5::timestamptz
               and a.created_at < $6::timestamptz group by a.entity_id order by last desc limit 20) x
       join tasks t on t.organisation_id = $1 and t.id = x.entity_id
       left join companies c on c.organisation_id = $1 and c.id = t.company_id
       left join projects p on p.organisation_id = $1 and p.id = t.project_id
      where $4::uuid[] is null or t.company_id is null or t.company_id in (select selected_companies($4::uuid[]))) as touched`);

/** Days whose instants fit PostgreSQL and every zone. */
const DAYS = { first: "0002-01-01", last: "9998-12-31" } as const;

/** The caller's activity on a day, for visible clients. */
export async function doneOn(day: IsoDate): Promise<DayDone> {
  if (day < DAYS.first || day > DAYS.last) return { logged_minutes: 0, touched: [] };
  const { organisation, principal } = request();
  const { start, end } = dayBounds(day, organisationZone());
  const values = [organisation.id, principal?.accountId ?? null, day, principal?.selection ?? null, start, end];
  return (await queryOutside<DayDone>(DONE, values)) ?? { logged_minutes: 0, touched: [] };
}

const nullableText = { type: ["string", "null"] };
const SUBMIT: ToolSpec = {
  name: "submit_suggestions",
  description: "Submit what may have been worked on, the likeliest first.",
  schema: {
    type: "object",
    properties: {
      suggestions: {
        type: "array",
        maxItems: 6,
        items: {
          type: "object",
          properties: {
            company_id: nullableText,
            project_id: nullableText,
            task_id: nullableText,
            minutes: { type: ["integer", "null"] },
            description: { type: "string" },
            label: { type: "string", description: "A few words" },
          },
        },
      },
    },
    required: ["suggestions"],
  },
};

/** The prompt for a short day. */
export function reconstructQuestion(day: IsoDate, gap: number, touched: DayDone["touched"]): MeteredQuestion {
  const system = [
    "You help a person to remember what a working day was spent on, and submit at most six suggestions by the tool.",
    `On ${day}, ${gap} minutes are not accounted for. The minutes of all suggestions together may not exceed that.`,
    "Use only ids of the tasks below.",
    DATA_RULE,
  ];
  return {
    system: system.join("\n\n"),
    turns: [{ role: "user", text: `Tasks that were touched that day:\n${asData(JSON.stringify(touched))}` }],
    tools: [SUBMIT],
    toolChoice: { name: SUBMIT.name },
  };
}

const idsOf = (values: readonly (string | null)[]): Set<string> => new Set(values.filter((value) => value !== null));

/** Asks how the gap was spent and returns the valid suggestions. @throws 502 ai_provider_error if the answer cannot be read */
export async function suggestionsFor(
  question: MeteredQuestion,
  gap: number,
  touched: DayDone["touched"],
  ask: Ask,
): Promise<Suggestion[]> {
  const submitted = await submission(ask, question, SUBMIT.name, await ask(question));
  const ground: Ground = {
    companies: idsOf(touched.map(({ company_id }) => company_id)),
    projects: idsOf(touched.map(({ project_id }) => project_id)),
    tasks: idsOf(touched.map(({ task_id }) => task_id)),
    entryTypes: new Set(),
  };
  return groundedSuggestions(submitted, ground, gap);
}
