//===- Grammar.cpp - the text of StableHLO ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Grammar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::stablehlo {

namespace {

/// The short form of one operation. Most are
///
///     NAME item, item ... {attributes} : types
///
/// where an item is an operand, a setting `key = value` or a bare word, and a type stands for all operands
/// and results, or `(types) -> types` tells them apart.
class Form {
public:
  Form(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), name(state.name.getStringRef()), b(parser.getBuilder()),
        start(parser.getCurrentLocation()) {}

  ParseResult parse() {
    if (name == "stablehlo.constant")
      return parseConstant();
    if (name == "stablehlo.while")
      return parseWhile();
    ParseResult items = name == "stablehlo.reduce"        ? parseReduced()
                        : name == "stablehlo.convolution" ? parseConvolved()
                        : name == "stablehlo.custom_call" ? parseCalled()
                        : name == "stablehlo.composite"   ? parseComposed()
                                                          : parseItems();
    if (failed(items) || parser.parseOptionalAttrDict(state.attributes) || parseTypes())
      return failure();
    return name == "stablehlo.reduce" && !state.attributes.get("applies") ? parseReducer() : success();
  }

private:
  //===-- Items ----------------------------------------------------------------===//

  ParseResult parseItems() {
    if (succeeded(parser.parseOptionalLParen())) // in parentheses, as chlo.top_k has them
      return failure(parseItems() || parser.parseRParen());
    bool isFirst = true;
    do {
      OpAsmParser::UnresolvedOperand operand;
      OptionalParseResult found = parser.parseOptionalOperand(operand);
      std::string word;
      if (found.has_value()) {
        if (failed(*found))
          return failure();
        operands.push_back(operand);
        if (name == "stablehlo.slice")
          return parseRanges();
      } else if (succeeded(parser.parseOptionalKeywordOrString(&word))) {
        if (failed(parser.parseOptionalEqual() ? addWord(word) : parseSetting(word)))
          return failure();
      } else if (!isFirst) {
        return parser.emitError(parser.getCurrentLocation(), "expected an operand or a setting");
      } else {
        return success();
      }
      isFirst = false;
    } while (succeeded(parser.parseOptionalComma()));
    return success();
  }

  /// A bare word: the direction and the kind of a comparison.
  ParseResult addWord(StringRef word) {
    bool isFirst = !state.attributes.get("comparison_direction");
    state.addAttribute(isFirst ? "comparison_direction" : "compare_type", b.getStringAttr(word));
    return success();
  }

  /// The name in the generic form.
  StringRef longName(StringRef key) {
    using Switch = llvm::StringSwitch<StringRef>;
    StringRef op = name;
    op.consume_front("stablehlo.");
    if (key == "dims")
      return Switch(op)
          .Case("transpose", "permutation")
          .Cases({"broadcast_in_dim", "dynamic_broadcast_in_dim"}, "broadcast_dimensions")
          .Default("dimensions");
    if (key == "dim")
      return Switch(op).Cases({"iota", "dynamic_iota"}, "iota_dimension").Default("dimension");
    return Switch(key)
        .Case("sizes", op == "broadcast" ? "broadcast_sizes" : "slice_sizes")
        .Case("low", "edge_padding_low")
        .Case("high", "edge_padding_high")
        .Case("interior", "interior_padding")
        .Case("contracting_dims", "contracting_dimensions")
        .Case("batching_dims", "batching_dimensions")
        .Case("stride", "window_strides")
        .Case("pad", "padding")
        .Case("lhs_dilate", "lhs_dilation")
        .Case("rhs_dilate", "rhs_dilation")
        .Case("reverse", "window_reversal")
        .Default(key);
  }

  /// What follows `key =`: a list, two lists with an `x` between them, a word, fields in <> or an attribute.
  ParseResult parseSetting(StringRef key) {
    std::string longKey = longName(key).str();
    StringRef word;
    if (succeeded(parser.parseOptionalLess()))
      return parseFields();
    if (succeeded(parser.parseOptionalKeyword(&word)))
      return state.addAttribute(longKey, b.getStringAttr(word)), success();
    int64_t number = 0;
    if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
      state.addAttribute(longKey, b.getI64IntegerAttr(number));
      return *found;
    }
    if (failed(parser.parseOptionalLSquare())) {
      Attribute value;
      if (parser.parseAttribute(value))
        return failure();
      return state.addAttribute(longKey, value), success();
    }
    Attribute first, second;
    if (parseList(first))
      return failure();
    if (failed(parser.parseOptionalKeyword("x")))
      return state.addAttribute(longKey, first), success();
    if (parser.parseLSquare() || parseList(second))
      return failure();
    state.addAttribute("lhs_" + longKey, first);
    state.addAttribute("rhs_" + longKey, second);
    return success();
  }

  /// Numbers or words behind a [.
  ParseResult parseList(Attribute &list) {
    SmallVector<Attribute> elements;
    if (succeeded(parser.parseOptionalRSquare()))
      return list = b.getArrayAttr({}), success();
    do {
      StringRef word;
      int64_t number = 0;
      if (succeeded(parser.parseOptionalKeyword(&word)))
        elements.push_back(b.getStringAttr(word));
      else if (parser.parseInteger(number))
        return failure();
      else
        elements.push_back(b.getI64IntegerAttr(number));
    } while (succeeded(parser.parseOptionalComma()));
    list = b.getArrayAttr(elements);
    return parser.parseRSquare();
  }

  /// Fields of how exactly products are computed, which dlc decides itself: `a = f32, b = 1>`.
  ParseResult parseFields() {
    do {
      std::string key;
      StringRef word;
      int64_t number = 0;
      if (parser.parseKeywordOrString(&key) || parser.parseEqual())
        return failure();
      if (failed(parser.parseOptionalKeyword(&word)) && parser.parseInteger(number))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    return parser.parseGreater();
  }

  /// [0:2, 1:9:3]
  ParseResult parseRanges() {
    SmallVector<int64_t> starts, limits, strides;
    auto parseRange = [&]() -> ParseResult {
      starts.emplace_back(), limits.emplace_back(), strides.push_back(1);
      if (parser.parseInteger(starts.back()) || parser.parseColon() || parser.parseInteger(limits.back()))
        return failure();
      return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(strides.back()) : success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
      return failure();
    state.addAttribute("start_indices", b.getDenseI64ArrayAttr(starts));
    state.addAttribute("limit_indices", b.getDenseI64ArrayAttr(limits));
    state.addAttribute("strides", b.getDenseI64ArrayAttr(strides));
    return success();
  }

  //===-- Operations with a form of their own ----------------------------------===//

  ParseResult parseConstant() {
    ElementsAttr value;
    if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value))
      return failure();
    state.addAttribute("value", value);
    state.addTypes(value.getType());
    return success();
  }

  /// (%x init: %a), (%y init: %b) applies stablehlo.add across dimensions = [1]
  ParseResult parseReduced() {
    SmallVector<OpAsmParser::UnresolvedOperand> initial;
    do {
      OpAsmParser::UnresolvedOperand x, init;
      if (parser.parseLParen() || parser.parseOperand(x) || parser.parseKeyword("init") ||
          parser.parseColon() || parser.parseOperand(init) || parser.parseRParen())
        return failure();
      operands.push_back(x);
      initial.push_back(init);
    } while (succeeded(parser.parseOptionalComma()));
    llvm::append_range(operands, initial);
    StringRef applied;
    if (succeeded(parser.parseOptionalKeyword("applies"))) {
      if (parser.parseKeyword(&applied))
        return failure();
      state.addAttribute("applies", b.getStringAttr(applied));
    }
    return failure(parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
                   parser.parseEqual() || parseSetting("dimensions"));
  }

  /// reducer(%a: type, %b: type) (...) { ... }
  ParseResult parseReducer() {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseKeyword("reducer"))
      return failure();
    for (size_t i = 0; i < operands.size() / 2; ++i)
      if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true))
        return failure();
    return parser.parseRegion(*state.addRegion(), arguments);
  }

  /// (%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1] ...}
  ParseResult parseConvolved() {
    std::string layouts[3];
    if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
        parser.parseKeyword("dim_numbers") || parser.parseEqual() || parseLayout(layouts[0]) ||
        parser.parseKeyword("x") || parseLayout(layouts[1]) || parser.parseArrow() || parseLayout(layouts[2]))
      return failure();
    state.addAttribute("dimension_numbers",
                       b.getStringAttr("[" + layouts[0] + "]x[" + layouts[1] + "]->[" + layouts[2] + "]"));
    DictionaryAttr window;
    if (parser.parseComma() || parser.parseKeyword("window") || parser.parseEqual() ||
        parser.parseAttribute(window))
      return failure();
    for (NamedAttribute setting : window)
      state.addAttribute(longName(setting.getName()), setting.getValue());
    return success();
  }

  ParseResult parseLayout(std::string &layout) {
    Attribute list;
    if (parser.parseLSquare() || parseList(list))
      return failure();
    for (Attribute each : cast<ArrayAttr>(list)) {
      auto word = dyn_cast<StringAttr>(each);
      layout += (layout.empty() ? "" : ",") +
                (word ? word.str() : std::to_string(cast<IntegerAttr>(each).getInt()));
    }
    return success();
  }

  ParseResult parseCalled() {
    StringAttr callee;
    if (parser.parseSymbolName(callee) || parser.parseOperandList(operands, AsmParser::Delimiter::Paren))
      return failure();
    state.addAttribute("call_target_name", callee);
    return success();
  }

  ParseResult parseComposed() {
    std::string called;
    if (parser.parseKeywordOrString(&called) || parser.parseOperandList(operands))
      return failure();
    state.addAttribute("name", b.getStringAttr(called));
    return success();
  }

  /// (%a = %x, %b = %y) : types cond { ... } do { ... }
  ParseResult parseWhile() {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseLParen())
      return failure();
    if (failed(parser.parseOptionalRParen())) {
      do {
        OpAsmParser::UnresolvedOperand initial;
        if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
            parser.parseOperand(initial))
          return failure();
        operands.push_back(initial);
      } while (succeeded(parser.parseOptionalComma()));
      if (parser.parseRParen() || parseTypes())
        return failure();
    }
    for (auto [argument, value] : llvm::zip(arguments, state.operands))
      argument.type = value.getType();
    return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
                   parser.parseRegion(*state.addRegion(), arguments) || parser.parseKeyword("do") ||
                   parser.parseRegion(*state.addRegion(), arguments));
  }

  //===-- Types ----------------------------------------------------------------===//

  /// What follows the operands; without it there are none.
  ParseResult parseTypes() {
    SmallVector<Type> types, results;
    if (failed(parser.parseOptionalColon()))
      return resolve({}, {});
    bool isList = succeeded(parser.parseOptionalLParen());
    if (isList && succeeded(parser.parseOptionalRParen()))
      return failure(parser.parseArrow() || parseResults(results) || resolve(types, results));
    if (parser.parseTypeList(types) || (isList && parser.parseRParen()))
      return failure();
    if (isList || succeeded(parser.parseOptionalArrow()))
      return failure((isList && parser.parseArrow()) || parseResults(results) || resolve(types, results));
    if (name == "stablehlo.return")
      return resolve(types, {});
    if (name == "stablehlo.select" && types.size() == 2 && operands.size() == 3)
      return resolve({types[0], types[1], types[1]}, types[1]);
    if (types.size() != 1)
      return resolve(types, types);
    return resolve(SmallVector<Type>(operands.size(), types.front()), types);
  }

  ParseResult parseResults(SmallVectorImpl<Type> &results) {
    if (failed(parser.parseOptionalLParen()))
      return parser.parseType(results.emplace_back());
    if (succeeded(parser.parseOptionalRParen()))
      return success();
    return failure(parser.parseTypeList(results) || parser.parseRParen());
  }

  ParseResult resolve(ArrayRef<Type> types, ArrayRef<Type> results) {
    state.addTypes(results);
    return parser.resolveOperands(operands, types, start, state.operands);
  }

  OpAsmParser &parser;
  OperationState &state;
  StringRef name;
  Builder &b;
  SMLoc start;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
};

ParseResult parseForm(OpAsmParser &parser, OperationState &state) { return Form(parser, state).parse(); }

/// Operations of any name, which have the forms above.
class GrammarDialect : public Dialect {
public:
  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return ParseOpHook(parseForm);
  }
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return StringAttr::get(getContext(), parser.getFullSymbolSpec());
  }

protected:
  GrammarDialect(StringRef name, MLIRContext *context, TypeID id) : Dialect(name, context, id) {
    allowUnknownOperations();
    allowUnknownTypes();
  }
};

class StablehloText : public GrammarDialect {
public:
  explicit StablehloText(MLIRContext *context)
      : GrammarDialect(getDialectNamespace(), context, TypeID::get<StablehloText>()) {}
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral("stablehlo"); }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StablehloText)
};

class ChloText : public GrammarDialect {
public:
  explicit ChloText(MLIRContext *context)
      : GrammarDialect(getDialectNamespace(), context, TypeID::get<ChloText>()) {}
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral("chlo"); }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChloText)
};

} // namespace

void loadGrammar(MLIRContext &context) {
  context.allowUnregisteredDialects();
  context.loadDialect<func::FuncDialect, StablehloText, ChloText>();
}

} // namespace dlc::stablehlo
