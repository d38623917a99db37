export { pdfOf, printing } from "../../../services/money/rendering/printing/pdf.ts";
