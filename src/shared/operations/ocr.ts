import { OcrService } from '../gen/service/v1/ocr_pb.ts';
import { operation, UNRESTRICTED } from './operation.ts';
import { posted } from './routes.ts';

const { method } = OcrService;

export const OCR_OPERATIONS = {
  ocrDocument: operation(method.ocrDocument, {
    ...UNRESTRICTED,
    permission: 'OCR_DOCUMENT',
    errors: [],
    isLacking: true,
    rest: [posted('/v1/ocr:document')],
  }),
} as const;
