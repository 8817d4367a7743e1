// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/products.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "plugins/cuda/libraries.h"

namespace parapet::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

/// The functions that are used of it.
struct Functions {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) descCreate = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) descSet = nullptr;
  decltype(&cublasLtMatmulDescDestroy) descDestroy = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layoutCreate = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layoutDestroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preferenceCreate = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preferenceDestroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preferenceSet = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;

  template <class Function>
  static bool get(const Library& library, const char* name, Function& out) {
    out = reinterpret_cast<Function>(library.symbol(name));
    return out != nullptr;
  }
  bool load(const Library& library) {
    return get(library, "cublasLtCreate", create) && get(library, "cublasLtMatmul", matmul) &&
           get(library, "cublasLtMatmulDescCreate", descCreate) &&
           get(library, "cublasLtMatmulDescSetAttribute", descSet) &&
           get(library, "cublasLtMatmulDescDestroy", descDestroy) &&
           get(library, "cublasLtMatrixLayoutCreate", layoutCreate) &&
           get(library, "cublasLtMatrixLayoutDestroy", layoutDestroy) &&
           get(library, "cublasLtMatmulPreferenceCreate", preferenceCreate) &&
           get(library, "cublasLtMatmulPreferenceDestroy", preferenceDestroy) &&
           get(library, "cublasLtMatmulPreferenceSetAttribute", preferenceSet) &&
           get(library, "cublasLtMatmulAlgoGetHeuristic", heuristic);
  }
};

/// How a product of one shape is done. Kept: to ask costs more than a small product.
struct Plan {
  bool usable = false;
  cublasLtMatmulDesc_t desc{};
  cublasLtMatrixLayout_t a{}, b{}, c{};
  cublasLtMatmulAlgo_t algorithm{};
};

/// m, n, k, strides; transposes, precision, whether c is read, alignment of the operands and of c;
/// the epilogue and the alignment of its bias, whose address changes from call to call.
using Shape = std::array<std::int64_t, 13>;

struct Products {
  Functions functions;
  cublasLtHandle_t handle{};
  void* workspace = nullptr;
  std::map<Shape, Plan> plans;
};

// A product of every batch size has a plan; more than so many are those of shapes that do not come
// back.
constexpr std::size_t kMaxPlans = 1024;

void forgetPlans(Products& products) {
  const Functions& f = products.functions;
  for (const auto& [shape, plan] : products.plans) {
    if (plan.desc) (void)f.descDestroy(plan.desc);
    for (const cublasLtMatrixLayout_t layout : {plan.a, plan.b, plan.c})
      if (layout) (void)f.layoutDestroy(layout);
  }
  products.plans.clear();
}

std::uint32_t alignmentOf(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return address % 16 == 0 ? 16 : address % 8 == 0 ? 8 : 4;
}

/// In bytes, as the heuristic is told them.
struct Alignments {
  std::uint32_t operands, c;
};

// Without TF32 unless it is asked for, whatever tensor cores could do. Operands that are bf16
// already are multiplied as they are, and added up in f32.
cublasComputeType_t computeOf(std::int32_t precision) {
  return precision == PP_PRECISION_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// The epilogue comes after β·c has been added. GELU is left to our kernel: that of the library is
// approximate.
cublasLtEpilogue_t epilogueOf(const PpMatmul& p) {
  if (p.activation == PP_RELU) return p.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  return p.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// False if the library refuses it.
bool setBias(const Functions& functions, cublasLtMatmulDesc_t desc, const float* bias) {
  return functions.descSet(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias) ==
         CUBLAS_STATUS_SUCCESS;
}

// Row-major c = op(a)·op(b) is column-major cᵀ = op(b)ᵀ·op(a)ᵀ: b comes first, and the bias, an
// element for each column of c, is one for each row of cᵀ, as the library has it.
Plan planOf(Products& products, const PpMatmul& p, std::int32_t precision, Alignments alignments) {
  const Functions& f = products.functions;
  const cublasComputeType_t compute = computeOf(precision);
  const cudaDataType_t type = precision == PP_PRECISION_BF16 ? CUDA_R_16BF : CUDA_R_32F;
  const cublasOperation_t first = p.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = p.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto m = static_cast<std::uint64_t>(p.m), n = static_cast<std::uint64_t>(p.n),
             k = static_cast<std::uint64_t>(p.k);
  const cublasLtEpilogue_t epilogue = epilogueOf(p);
  Plan plan;
  cublasLtMatmulPreference_t preference{};
  if (f.descCreate(&plan.desc, compute, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS ||
      f.descSet(plan.desc, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first) ||
      f.descSet(plan.desc, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second) ||
      f.descSet(plan.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) ||
      // The heuristic takes the alignment of the bias from its address.
      (p.bias && !setBias(f, plan.desc, p.bias)) ||
      f.layoutCreate(&plan.a, type, p.transposeB ? k : n, p.transposeB ? n : k, p.strideB) ||
      f.layoutCreate(&plan.b, type, p.transposeA ? m : k, p.transposeA ? k : m, p.strideA) ||
      f.layoutCreate(&plan.c, CUDA_R_32F, n, m, p.strideC) || f.preferenceCreate(&preference))
    return plan;
  const std::size_t workspace = kWorkspaceBytes;
  for (const auto& [attribute, bytes] :
       {std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments.operands},
        std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments.operands},
        std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c},
        std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.c}})
    (void)f.preferenceSet(preference, attribute, &bytes, sizeof bytes);
  (void)f.preferenceSet(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                        sizeof workspace);
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status = f.heuristic(products.handle, plan.desc, plan.a, plan.b, plan.c,
                                            plan.c, preference, 1, &result, &found);
  plan.usable = status == CUBLAS_STATUS_SUCCESS && found > 0;
  plan.algorithm = result.algo;
  (void)f.preferenceDestroy(preference);
  return plan;
}

/// The first reason why a product is not the library's, for the user to read: it costs speed and no
/// correctness.
void mention(const std::string& why) {
  static std::atomic_flag mentioned;
  if (mentioned.test_and_set()) return;
  std::fprintf(stderr,
               "warning: cuBLASLt does not make every matrix product, our own kernel does: %s\n",
               why.c_str());
}

std::string textOf(const PpMatmul& p, std::int32_t precision, cublasStatus_t status) {
  return "a product of " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " +
         std::to_string(p.k) + " in precision " + std::to_string(precision) + " gave status " +
         std::to_string(status);
}

std::int32_t multiplyByLibrary(Stream& stream, const PpMatmul& p, std::int32_t precision) {
  if (p.activation != PP_LINEAR && p.activation != PP_RELU) return PP_UNSUPPORTED;
  Products& products = *static_cast<Products*>(stream.library);
  const Alignments alignments{std::min(alignmentOf(p.a), alignmentOf(p.b)), alignmentOf(p.c)};
  const Shape shape{p.m,
                    p.n,
                    p.k,
                    p.strideA,
                    p.strideB,
                    p.strideC,
                    p.transposeA * 2 + p.transposeB,
                    precision,
                    p.beta == 0.0f ? 0 : 1,
                    alignments.operands,
                    alignments.c,
                    epilogueOf(p),
                    p.bias ? alignmentOf(p.bias) : 0};
  if (products.plans.size() >= kMaxPlans && !products.plans.contains(shape)) forgetPlans(products);
  const auto [at, isNew] = products.plans.try_emplace(shape);
  if (isNew) at->second = planOf(products, p, precision, alignments);
  const Plan& plan = at->second;
  if (!plan.usable) return PP_UNSUPPORTED;
  if (p.bias && !setBias(products.functions, plan.desc, p.bias)) return PP_UNSUPPORTED;
  const float one = 1.0f;
  const cublasStatus_t status =
      products.functions.matmul(products.handle, plan.desc, &one, p.b, plan.a, p.a, plan.b, &p.beta,
                                p.c, plan.c, p.c, plan.c, &plan.algorithm, products.workspace,
                                kWorkspaceBytes, static_cast<cudaStream_t>(stream.handle));
  if (status == CUBLAS_STATUS_SUCCESS) return PP_OK;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) {
    // The product would be refused the next time, too: leading dimensions that the library has no kernel
    // for.
    at->second.usable = false;
    mention(textOf(p, precision, status));
    return PP_UNSUPPORTED;
  }
  say("cuBLASLt: " + textOf(p, precision, status));
  return PP_FAILED;
}

// One of another major version has other structures: it is not in the list.
const std::string& nameOfLibrary() {
  static const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  return name;
}

// Opened by the first run that uses a device: its file has half a gigabyte.
const Library& products() {
  static const Library library({nameOfLibrary()});
  return library;
}

}  // namespace

std::string productsRemark() {
  const std::string file = Library::find(nameOfLibrary());
  if (!file.empty()) return "matrix products by " + file;
  return nameOfLibrary() +
         " is not in PARAPET_CUDA_LIB_DIRS or the usual folders: unless the system's loader knows "
         "another, our own kernel makes the matrix products";
}

void openProducts(Stream& stream) {
  auto* const made = new Products;  // as long as the process
  if (!products().handle())
    mention(products().looked());
  else if (!made->functions.load(products()))
    mention(products().file() + " lacks a function");
  else if (made->functions.create(&made->handle) != CUBLAS_STATUS_SUCCESS)
    mention(products().file() + " does not start");
  else if (cudaMalloc(&made->workspace, kWorkspaceBytes) != cudaSuccess)
    mention("the device has no room for its memory");
  if (!made->workspace) {
    (void)cudaGetLastError();
    delete made;
    return;
  }
  stream.library = made;
  stream.multiply = multiplyByLibrary;
}

}  // namespace parapet::cuda
