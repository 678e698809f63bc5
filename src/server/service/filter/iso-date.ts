const ISO_DATE =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[Tt ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Whether a string can stand for a date or an instant: ISO 8601 with a day that the calendar has. */
export function isIsoDate(text: string): boolean {
  const [, year, , month, day] = ISO_DATE.exec(text) ?? [];
  if (year === undefined || year === '0000') {
    return false;
  }
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}
