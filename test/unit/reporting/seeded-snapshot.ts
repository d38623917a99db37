import type { Locale } from "../../../core/config/defaults.ts";
import type {
  ReportAudience,
  ReportColumn,
  ReportSectionData,
  ReportSeries,
  ReportTable,
  ReportTotal,
  ReportValueKind,
} from "../../../core/declare/report-sections.ts";
import type { FrozenLook } from "../../../services/reporting/rendering/look.ts";
import { chosenDesign } from "../../../services/reporting/rendering/render.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { type Seeded, seeded } from "../../support/lists/seeded.ts";

/** The surroundings of a document of the shipped design. */
export const LOOK: FrozenLook = {
  ...chosenDesign({ design: "standard", custom_html: null, custom_css: null }),
  brand: "Bureau Noord",
  logo: null,
  cover: null,
  accents: ["#1f4b5f"],
  intro: "Beste lezer",
  footer: "Tot volgende maand",
  template: null,
  tone: null,
  made_on: "2026-03-05",
};

/** Names as outsiders give them to campaigns, pages and search terms. */
export const HOSTILE_NAMES = [
  "<script>alert(1)</script>",
  "</style></main>{{ client }}{% for x in y %}",
  "حملة الصيف – متجر الأزياء",
  "מבצע קיץ 🌞🧑‍🧑‍🧒‍🧒",
  "عرض 50% (Q3) שלום mixed left",
  "東京の靴屋さん・夏のセール",
  "Zeer­lange­samengestelde­advertentie­campagne­naam".repeat(3),
  "x".repeat(300),
  "https://example.com/een/heel/lang/pad/zonder/spaties?utm_source=google&utm_medium=cpc&utm_campaign=zomer",
  "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
  "=cmd|' /C calc'!A0",
  "\u202egnirts desrever",
  "👩‍💻👨‍👩‍👧‍👦🏳️‍🌈",
  "",
];
const NAMES = [
  "Zoekmachines",
  "Direct",
  "Andere websites",
  "Sociale media",
  "E-mail",
  "portretfoto laten maken",
  "/contact",
  "Branded search",
];

const KINDS: readonly ReportValueKind[] = ["count", "decimal", "percent", "money", "seconds"];
const label = (text: string) => ({ nl: text, en: text });

/** How large a snapshot is, and how hostile. */
export interface SeededSnapshot {
  seed: number;
  locale?: Locale;
  audience?: ReportAudience;
  /** Rows of the longest table. */
  rows?: number;
  sections?: number;
  hostile?: boolean;
}

class Drawn {
  readonly #random: Seeded;
  readonly #names: readonly string[];

  constructor(random: Seeded, hostile: boolean) {
    this.#random = random;
    this.#names = hostile ? [...NAMES, ...HOSTILE_NAMES] : NAMES;
  }

  whole = (most: number): number => Math.floor(this.#random.random() * most);
  name = (): string => this.#random.pick(this.#names);

  value(kind: ReportValueKind): number {
    const size = 10 ** this.whole(6);
    const value = this.#random.random() * size;
    if (kind === "count") return Math.round(value);
    return kind === "percent" ? Math.round(value * 100) / 1000 : Math.round(value * 1000) / 1000;
  }

  orNull = <T>(value: T): T | null => (this.whole(6) === 0 ? null : value);

  total(at: number): ReportTotal {
    const kind = this.#random.pick(KINDS);
    const [value, before] = [this.orNull(this.value(kind)), this.orNull(this.value(kind))];
    return {
      key: `total${at}`,
      label: label(`${this.name() || "Total"} ${at}`),
      kind,
      value,
      before,
      lowerIsBetter: this.whole(2) === 0,
    };
  }

  table(rows: number): ReportTable {
    const columns: ReportColumn[] = [
      { key: "name", label: label("Name"), kind: "text" },
      ...Array.from({ length: 1 + this.whole(5) }, (_, at) => {
        const kind = this.#random.pick(KINDS);
        return { key: `c${at}`, label: label(`Column ${at}`), kind, adds: kind === "count" };
      }),
    ];
    const row = () => columns.map(({ kind }) => (kind === "text" ? this.name() : this.orNull(this.value(kind))));
    return { columns, rows: Array.from({ length: rows }, row) };
  }

  series(): ReportSeries {
    const kind = this.#random.pick(["line", "bars", "share"] as const);
    const points = Array.from({ length: 1 + this.whole(kind === "line" ? 31 : 8) }, (_, at) => ({
      key: kind === "line" ? `${at + 1}-2` : this.name(),
      value: this.value("count") + 1,
      before: kind === "share" ? null : this.orNull(this.value("count")),
    }));
    return { kind, label: label("Series"), valueKind: "count", points };
  }

  section(rows: number): ReportSectionData {
    const some = <T>(make: () => T): T | undefined => (this.whole(4) === 0 ? undefined : make());
    const [table, series, parts] = [
      some(() => this.table(1 + this.whole(rows))),
      some(() => this.series()),
      this.whole(5) === 0 ? this.parts() : undefined,
    ];
    return {
      currency: this.#random.pick(["EUR", "USD", "JPY", "CHF", null]),
      totals: Array.from({ length: this.whole(6) }, (_, at) => this.total(at)),
      ...(table && { table }),
      ...(series && { series }),
      ...(parts && { parts }),
      final_until: this.orNull("2026-02-26"),
      stored_from: this.orNull("2025-02-09"),
    };
  }

  parts(): NonNullable<ReportSectionData["parts"]> {
    return Array.from({ length: 2 }, () => ({
      name: this.name() || "example.com",
      totals: [this.total(0)],
      table: this.table(4),
    }));
  }
}

/** A snapshot that follows from a seed: every kind of value, chart and table. */
export function seededSnapshot({
  seed,
  locale = "nl",
  audience = "client",
  rows = 25,
  sections = 6,
  hostile = false,
}: SeededSnapshot): Snapshot {
  const drawn = new Drawn(seeded(seed), hostile);
  return {
    locale,
    audience,
    client: drawn.name() || "Client",
    span: { start: "2026-02-01", end: "2026-02-28" },
    compared: { start: "2025-02-01", end: "2025-02-28" },
    sections: Array.from({ length: sections }, (_, at) => ({
      key: `seeded.section_${at}`,
      title: `${drawn.name() || "Section"} ${at}`,
      data: drawn.section(rows),
    })),
  };
}
