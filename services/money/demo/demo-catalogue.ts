/** A product of the demo organisation; the price is net, per unit. */
export interface DemoItem {
  name: string;
  unit: string;
  price: string;
  /** The tax rate, as in the seeded catalogue. */
  rate: "21.00" | "9.00";
  kind: "product" | "hours";
}

export const DEMO_ITEMS: readonly DemoItem[] = [
  { name: "Ontwerp en uitwerking", unit: "uur", price: "92.50", rate: "21.00", kind: "hours" },
  { name: "Ontwikkeling", unit: "uur", price: "98.00", rate: "21.00", kind: "hours" },
  { name: "Overleg en planning", unit: "uur", price: "85.00", rate: "21.00", kind: "hours" },
  { name: "Fotoreportage, halve dag", unit: "stuk", price: "420.00", rate: "21.00", kind: "product" },
  { name: "Hosting en certificaat, per jaar", unit: "jaar", price: "180.00", rate: "21.00", kind: "product" },
  { name: "Drukwerk jaarverslag", unit: "stuk", price: "12.75", rate: "9.00", kind: "product" },
];

export const DEMO_TYPES = [
  ["maintenance", { nl: "Onderhoud", en: "Maintenance" }],
  ["hosting", { nl: "Hosting", en: "Hosting" }],
  ["marketing", { nl: "Marketing", en: "Marketing" }],
] as const;

/** A recurring agreement; `prices` lists its amounts with the months since each began, oldest first. */
export interface DemoAgreement {
  name: string;
  type: number;
  status: "draft" | "active" | "paused" | "cancelled";
  interval: "monthly" | "quarterly" | "yearly";
  /** Months since it began. */
  age: number;
  prices: readonly (readonly [monthsAgo: number, amount: string])[];
  hours: string | null;
}

export const DEMO_AGREEMENTS: readonly DemoAgreement[] = [
  {
    name: "Onderhoud website",
    type: 0,
    status: "active",
    interval: "monthly",
    age: 14,
    prices: [
      [14, "90.00"],
      [4, "99.00"],
    ],
    hours: "2.00",
  },
  { name: "Hosting Plus", type: 1, status: "active", interval: "yearly", age: 10, prices: [[10, "348.00"]], hours: null },
  {
    name: "Zoekmachines en advertenties",
    type: 2,
    status: "active",
    interval: "monthly",
    age: 8,
    prices: [[8, "450.00"]],
    hours: "6.00",
  },
  { name: "Servicecontract", type: 0, status: "active", interval: "quarterly", age: 7, prices: [[7, "375.00"]], hours: "3.00" },
  { name: "Nieuwsbrief", type: 2, status: "active", interval: "monthly", age: 5, prices: [[5, "125.00"]], hours: "1.50" },
  { name: "Onderhoud webwinkel", type: 0, status: "paused", interval: "monthly", age: 9, prices: [[9, "210.00"]], hours: "2.00" },
  { name: "Hosting Basis", type: 1, status: "cancelled", interval: "monthly", age: 18, prices: [[18, "15.00"]], hours: null },
  { name: "Contentplan", type: 2, status: "draft", interval: "monthly", age: 0, prices: [[0, "300.00"]], hours: "4.00" },
];

/** States of the quotes, in order of creation. */
export const DEMO_QUOTES = [
  "invoiced",
  "rejected",
  "accepted",
  "expired",
  "invoiced",
  "accepted",
  "open",
  "open",
  "draft",
  "draft",
] as const;

export const DEMO_SELLER = {
  name: "Bureau Noorderlicht B.V.",
  address_line1: "Noorderkade 12",
  postal_code: "9712 AA",
  city: "Groningen",
  country: "NL",
  vat_number: "NL123456782B90",
  coc_number: "01234567",
  iban: "NL91ABNA0417164300",
  bic: "ABNANL2A",
  website: "https://www.bureau-noorderlicht.example",
  email: "administratie@bureau-noorderlicht.example",
};
