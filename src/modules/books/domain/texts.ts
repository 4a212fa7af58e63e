/** Longest text of a cell, in characters. */
const longest = 80

/** Control, format (with those of writing direction), line separator and lone surrogate characters, and the bar. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}|]+/gu

/** A text that needs no change: printable characters of Latin-1 except the bar, with single spaces between. */
const plain = /^[!-{}~¡-¬®-ÿ]+(?: [!-{}~¡-¬®-ÿ]+)*$/

/** Makes a text fit for a cell of a file: one line, without invisible characters, 80 characters at most. */
export function cleanCell(text: string): string {
  if (text.length <= longest && plain.test(text)) return text
  const clean = text.replaceAll(unseen, ' ').replaceAll(/\s+/g, ' ').trim()
  const characters = Array.from(clean)
  return characters.length <= longest ? clean : characters.slice(0, longest).join('').trim()
}

/** Labels of drawer entries: the name that a cashier typed is free text and never appears in books. */
export const drawerLabels: Readonly<Record<string, string>> = {
  cash_in: 'Apport de caisse',
  cash_out: 'Retrait de caisse',
  bank_deposit: 'Remise en banque',
  expense: 'Dépense de caisse',
  tip_out: 'Pourboires versés',
  refund: 'Remboursement de caisse',
  count_overage: 'Excédent de caisse',
  count_shortage: 'Manquant de caisse',
  correction: 'Correction de caisse',
}

/** Returns the first nine digits of a SIRET if their check digit is valid; null for anything else. */
export function sirenOf(siret: string): string | null {
  const digits = siret.replaceAll(/\s/g, '').slice(0, 9)
  if (!/^[0-9]{9}$/.test(digits)) return null
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, i) => {
      const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0 ? digits : null
}

/** Writes minor units as a decimal: `1234.50`. */
export function decimalText(amount: number, decimals: number, point = '.'): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0')
  const integer = `${amount < 0 ? '-' : ''}${digits.slice(0, digits.length - decimals)}`
  return decimals === 0 ? integer : `${integer}${point}${digits.slice(-decimals)}`
}
