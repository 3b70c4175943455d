/** A fictitious electronic invoice to try the screen with: two lines, VAT, a payment due in two weeks. */
import { addDays, format } from 'date-fns'

const day = (date: Date) => format(date, 'yyyy-MM-dd')

const party = (vat: string, name: string, address: string, zip: string, city: string, province: string) => `
      <DatiAnagrafici>
        <IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>${vat}</IdCodice></IdFiscaleIVA>
        <Anagrafica><Denominazione>${name}</Denominazione></Anagrafica>REGIME
      </DatiAnagrafici>
      <Sede>
        <Indirizzo>${address}</Indirizzo><CAP>${zip}</CAP><Comune>${city}</Comune>
        <Provincia>${province}</Provincia><Nazione>IT</Nazione>
      </Sede>`

const line = (number: number, what: string, quantity: number, price: number) => `
      <DettaglioLinee>
        <NumeroLinea>${number}</NumeroLinea><Descrizione>${what}</Descrizione>
        <Quantita>${quantity.toFixed(2)}</Quantita><PrezzoUnitario>${price.toFixed(2)}</PrezzoUnitario>
        <PrezzoTotale>${(quantity * price).toFixed(2)}</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA>
      </DettaglioLinee>`

/** The invoice as a file, issued `now`; the firm, its numbers and its bank exist only here. */
export function sampleInvoice(now: Date): File {
  const supplier = party('12345670587', 'Tipografia Esempio Srl', 'Via dei Caratteri 12', '00184', 'Roma', 'RM')
  const customer = party('09876540155', 'La tua attività', 'Via della Prova 1', '20121', 'Milano', 'MI')
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<p:FatturaElettronica versione="FPR12" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2">
  <FatturaElettronicaHeader>
    <DatiTrasmissione>
      <IdTrasmittente><IdPaese>IT</IdPaese><IdCodice>12345670587</IdCodice></IdTrasmittente>
      <ProgressivoInvio>ESEMPIO1</ProgressivoInvio><FormatoTrasmissione>FPR12</FormatoTrasmissione>
      <CodiceDestinatario>0000000</CodiceDestinatario>
    </DatiTrasmissione>
    <CedentePrestatore>${supplier.replace('REGIME', '<RegimeFiscale>RF01</RegimeFiscale>')}
    </CedentePrestatore>
    <CessionarioCommittente>${customer.replace('REGIME', '')}
    </CessionarioCommittente>
  </FatturaElettronicaHeader>
  <FatturaElettronicaBody>
    <DatiGenerali>
      <DatiGeneraliDocumento>
        <TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>${day(now)}</Data><Numero>128/ESEMPIO</Numero>
        <ImportoTotaleDocumento>445.30</ImportoTotaleDocumento><Causale>Fattura di esempio, non da pagare</Causale>
      </DatiGeneraliDocumento>
    </DatiGenerali>
    <DatiBeniServizi>${line(1, 'Biglietti da visita, 500 pezzi', 1, 85)}${line(2, 'Brochure a colori, 8 pagine', 200, 1.4)}
      <DatiRiepilogo>
        <AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>365.00</ImponibileImporto><Imposta>80.30</Imposta>
        <EsigibilitaIVA>I</EsigibilitaIVA>
      </DatiRiepilogo>
    </DatiBeniServizi>
    <DatiPagamento>
      <CondizioniPagamento>TP02</CondizioniPagamento>
      <DettaglioPagamento>
        <ModalitaPagamento>MP05</ModalitaPagamento><DataScadenzaPagamento>${day(addDays(now, 14))}</DataScadenzaPagamento>
        <ImportoPagamento>445.30</ImportoPagamento><IBAN>IT36W0123402008000000654321</IBAN>
      </DettaglioPagamento>
    </DatiPagamento>
  </FatturaElettronicaBody>
</p:FatturaElettronica>
`
  return new File([xml], 'Fattura di esempio.xml', { type: 'application/xml' })
}
