/** Files as the banks describe them, with made-up people and amounts. */

/** A CAMT.053 of a version, with the elements as that version has them. */
export function camt(version: string, entries: string, { opening = "100.00", closing = "100.00", prefix = "" } = {}): string {
  const p = prefix === "" ? "" : `${prefix}:`;
  const xmlns = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
  const balance = (code: string, amount: string, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount.replace("-", "")}</Amt><CdtDbtInd>${amount.startsWith("-") ? "DBIT" : "CRDT"}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
  const body = `<BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-03-02T06:00:00</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><ElctrncSeqNb>61</ElctrncSeqNb><CreDtTm>2026-03-02T06:00:00</CreDtTm>
<Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id><Ccy>EUR</Ccy></Acct>
${balance("OPBD", opening, "2026-03-01")}${balance("CLBD", closing, "2026-03-02")}
${entries}
</Stmt></BkToCstmrStmt>`;
  const prefixed = p === "" ? body : body.replace(/<(\/?)(?=[A-Z])/g, `<$1${p}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${p}Document ${xmlns}="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}">${prefixed}</${p}Document>`;
}

interface CamtEntry {
  amount?: string;
  direction?: string;
  status?: string;
  reference?: string;
  details?: string;
  more?: string;
  day?: string;
}
export const ntry = ({
  amount = "12.34",
  direction = "CRDT",
  status = "<Sts>BOOK</Sts>",
  reference = "",
  details = "",
  more = "",
  day = "2026-03-02",
}: CamtEntry = {}): string =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${more}${status}<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>${reference && `<AcctSvcrRef>${reference}</AcctSvcrRef>`}${details && `<NtryDtls>${details}</NtryDtls>`}</Ntry>`;

const balance = (sign: string, amount: string, day: string) => `${sign}${day}EUR${amount}`;
/** An MT940 around entries (fields 61 and 86). */
export const mt940 = (entries: string, { opening = "100,00", closing = "100,00", account = "NL91ABNA0417164300" } = {}): string =>
  [
    ":20:STATEMENT",
    `:25:${account}`,
    ":28C:61/1",
    `:60F:${balance("C", opening, "260301")}`,
    entries,
    `:62F:${balance("C", closing, "260302")}`,
    "-",
    "",
  ].join("\r\n");

export const ING = [
  '"Datum";"Naam / Omschrijving";"Rekening";"Tegenrekening";"Code";"Af Bij";"Bedrag (EUR)";"Mutatiesoort";"Mededelingen";"Saldo na mutatie";"Tag"',
  '"20260302";"Bakker B.V.";"NL69INGB0123456789";"NL91ABNA0417164300";"OV";"Bij";"1028,44";"Overschrijving";"Naam: Bakker B.V. Omschrijving: factuur 2026-0412 IBAN: NL91ABNA0417164300 Kenmerk: K-1 Valutadatum: 02-03-2026";"1516,44";""',
  '"20260301";"Kosten zakelijk betalingsverkeer";"NL69INGB0123456789";"";"DV";"Af";"12,00";"Diversen";"1 feb t/m 28 feb 2026";"488,00";""',
].join("\r\n");

export const RABOBANK = [
  '"IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn","Tegenrekening IBAN/BBAN","Naam tegenpartij","Naam uiteindelijke partij","Naam initiërende partij","BIC tegenpartij","Code","Batch ID","Transactiereferentie","Machtigingskenmerk","Incassant ID","Betalingskenmerk","Omschrijving-1","Omschrijving-2","Omschrijving-3","Reden retour","Oorspr bedrag","Oorspr munt","Koers"',
  '"NL44RABO0123456789","EUR","RABONL2U","000000000000000101","2026-03-01","2026-03-01","+250,00","+1250,00","NL91ABNA0417164300","Bakker B.V.","","","ABNANL2A","cb","","E2E-7","","","","Factuur 2026-0412 ","en 2026-0413","","","","",""',
  '"NL44RABO0123456789","EUR","RABONL2U","000000000000000102","2026-03-02","2026-03-02","-50,00","+1200,00","NL02RABO0123456789","Café Noir","","","RABONL2U","id","","","","","1234567890","Lunch","","","","55,00","USD","1,1"',
].join("\r\n");

export const ABN_TAB = [
  "123456789\tEUR\t20260301\t1000,00\t1250,00\t20260301\t250,00\t/TRTP/SEPA OVERBOEKING/IBAN/NL44RABO0123456789/BIC/RABONL2U/NAME/Bakker B.V./REMI/Factuur 2026-0412/EREF/E2E-8",
  "123456789\tEUR\t20260302\t1250,00\t1200,00\t20260302\t-50,00\tSEPA Overboeking                 IBAN: NL02RABO0123456789        BIC: RABONL2U                    Naam: Jansen                     Omschrijving: Huur maart         Betalingskenm.: 99",
].join("\r\n");

export const ASN = [
  "01-03-2026,NL64ASNB0123456789,NL91ABNA0417164300,bakker b.v.,,,,EUR,1000.00,EUR,250.00,01-03-2026,01-03-2026,9722,OVB,12345,,'Factuur 2026-0412, met dank',3",
  "02-03-2026,NL64ASNB0123456789,,,,,,EUR,1250.00,EUR,-2.50,02-03-2026,02-03-2026,9810,KST,12346,,'Kosten gebruik betaalrekening',3",
].join("\r\n");

export const BUNQ = [
  '"Date";"Interest Date";"Amount";"Account";"Counterparty";"Name";"Description"',
  '"2026-03-01";"2026-03-01";"1.028,44";"NL65BUNQ2025123456";"NL91ABNA0417164300";"Bakker B.V.";"Factuur 2026-0412"',
  '"2026-03-02";"2026-03-02";"-9,99";"NL65BUNQ2025123456";"";"bunq";"Bill"',
].join("\n");

export const KNAB = [
  "KNAB EXPORT;;;;;;;;;;;;;;;",
  "Rekeningnummer;Transactiedatum;Valutacode;CreditDebet;Bedrag;Tegenrekeningnummer;Tegenrekeninghouder;Valutadatum;Betaalwijze;Omschrijving;Type betaling;Machtigingsnummer;Incassant ID;Adres;Referentie;Boekdatum;",
  '"NL43KNAB0123456789";"01-03-2026";"EUR";"C";"250,00";"NL91ABNA0417164300";"Bakker B.V.";"01-03-2026";"Overboeking";"Factuur 2026-0412";"";"";"";"";"C6C01CV0001";"01-03-2026";',
  '"NL43KNAB0123456789";"02-03-2026";"EUR";"D";"50,00";"NL02RABO0123456789";"Jansen";"02-03-2026";"Incasso";"Huur";"";"";"";"";"C6C01CV0002";"02-03-2026";',
].join("\r\n");
